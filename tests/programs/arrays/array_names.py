"""Arrays that a loop makes, and parts of arrays, under names."""

import numpy as np

rng = np.random.default_rng(5)


def show(*values):
    for v in values:
        base = getattr(v, "base", None) is not None
        print(
            type(v).__name__,
            getattr(v, "dtype", ""),
            getattr(v, "strides", ""),
            np.asarray(v).tolist(),
            base,
        )


def attract(pos, vel, mass, steps):
    n = pos.shape[0]
    for _ in range(steps):  # native
        for i in range(n):
            acc = pos[i] * 0.0
            for j in range(n):
                if i != j:
                    d = pos[j] - pos[i]
                    r2 = np.dot(d, d) + 0.01
                    acc += mass[j] * d / (r2 * np.sqrt(r2))
            vel[i] += 0.01 * acc
        for i in range(n):
            pos[i] += 0.01 * vel[i]
    return acc, d, r2


pos, vel = rng.random((7, 3)), np.zeros((7, 3))
show(*attract(pos, vel, rng.random(7), 4), pos, vel)


def distance(a, b):
    d = a - b
    return np.sqrt(np.sum(d * d))


def scaled(a, f):
    return a * f


def changed(a):
    a += 1.0
    return a[0]


def all_pairs(p, out):
    for i in range(p.shape[0]):  # native
        for j in range(i):
            out[i, j] = out[j, i] = distance(p[i], p[j])


out = np.zeros((7, 7))
all_pairs(pos, out)
show(out)


def named(a, x, out):
    for i in range(a.shape[0]):  # native
        row = a[i, 1:]
        column = a[:, i % a.shape[1]]
        t = row * 2.0 + x[1:]
        t[0] = t[-1] + len(t)
        t[1:] -= t[:-1]
        out[i] = t.sum() + column.max() - t[i % t.shape[0]]
        u = scaled(t, 0.5)
        u += 1.0
        out[i] += u @ t + changed(t)
        row[0] = 0.25
    return row, column, t, u


a, out = rng.random((6, 8)), np.zeros(6)
found = named(a, rng.random(8), out)
show(*found, out)
found[0][0] = 7.0
found[1][0] = 9.0
found[2][0] = 5.0
show(a)


def sometimes(a, out):
    w = None
    for i in range(a.shape[0]):  # native
        if i % 3 == 1:
            w = a[i] + 1.0
            out[i] = w.sum()
    return w


show(sometimes(a, out), out)
show(sometimes(a[:1], out))


def until(a, out):
    for i in range(a.shape[0]):  # native
        w = a[i] / a[i, 0]
        out[i] = w.sum()
    return w


a = rng.random((30, 4))
a[20, 0] = 0.0
with np.errstate(all="ignore"):
    show(until(a, np.zeros(30)))
try:
    show(until(np.vstack([a[:10], a[20:21]]), np.zeros(5)))
except IndexError as e:
    print(e)


def made_anew(a, x, steps):
    for _ in range(steps):  # native
        y = a[0] * 0.0
        for i in range(a.shape[0]):
            y[i] = a[i] @ x
        norm = np.sqrt(y @ y)
        x[:] = y / norm
    return y, norm


x = rng.random(5)
show(*made_anew(rng.random((5, 5)), x, 6), x)


def planes(a):
    for k in range(3):  # native
        t = a * 2.0 + k
        t[k] = 0
        a[:] = t
    return t


a = rng.random((4, 5))
show(planes(a), a)


def planes_across(a):
    for k in range(3):  # cpython
        t = a * 2.0 + k
        t[k] = 0
        a[:] = t
    return t


show(planes_across(a.T), a)


def aliased(a, out):
    for i in range(a.shape[0]):  # native
        t = a[i] * 2.0
        u = t
        t = t + 1.0
        out[i] = u.sum() - t.sum()


aliased(rng.random((3, 4)), out)
show(out)


def kept(a):
    previous = a[0]
    for i in range(1, a.shape[0]):  # cpython
        a[i] += previous
        previous = a[i]
    return previous


a = rng.random((5, 3))
last = kept(a)
last[0] = 3.0
show(last, a)


def carried(a, x):
    for i in range(a.shape[0]):  # native
        x = x * 0.5 + a[i]
    return x


x = rng.random(3)
show(carried(a, x), x)


def inside(a, out):
    for i in range(a.shape[0]):  # native
        x = a[i] * 1.0
        for _ in range(4):
            x = x[::-1] * 0.5 + a[0]
        out[i] = x[0] - x[-1]
    return x


show(inside(a, out), out)


def of_types(a, b, f):
    for i in range(a.shape[0]):  # native
        t = a[i] * 2
        u = f[i] * 0.5
        v = b[i] & (u > 0.2)
        w = t + u
    return t, u, v, w


show(
    *of_types(
        np.arange(12).reshape(3, 4), rng.random((3, 4)) > 0.5, rng.random((3, 4)).astype(np.float32)
    )
)


def two_types(a, f):
    for i in range(a.shape[0]):  # native
        t = a[i] * 2
        if i:
            t = f[i] * 0.5
    return t


show(two_types(np.arange(12).reshape(3, 4), rng.random((3, 4))))


class Body:
    def __init__(self):
        self.x = np.array([1.0, 2.0, 3.0])
        self.v = np.array([0.5, 0.25, 0.0])

    def run(self, n):
        for _ in range(n):  # native
            f = self.x * -1.0
            self.v += 0.1 * f
            self.x[:] = self.x + 0.1 * self.v
        return f


body = Body()
x = body.x
show(body.run(20), body.x, body.v)
print(body.x is x)


def unused(a):
    for i in range(a.shape[0]):  # native
        t = np.sqrt(a[i])
        t *= 2
    return i


show(unused(rng.random((4, 4))))
a = rng.random((14, 4))
a[9, 1] = -1.0
show(unused(a))


def rows_of_part(a, out):
    k = 0
    for row in a[1:]:  # native
        out[k] = row.sum() + row[0]
        row[1] = 5.0
        k += 1
    return row


show(rows_of_part(a, np.zeros(14)), a)


def lengths(a, n):
    total = 0
    for i in range(n):  # native
        t = a[i, 3:2] * 2.0
        u = a[i, i:] + 1.0
        total += len(t) + t.size + u.shape[0] + u.ndim
    return total, t, u


show(*lengths(rng.random((6, 6)), 6))


# ---- Names that become parts of what they name


def shortened(a):
    for i in range(a.shape[0]):
        d = a[i] * 2.0
        if i > 0:
            d = d[1:]
        a[i, 0] = d[0]
    return d


a = np.arange(12.0).reshape(3, 4)
show(shortened(a), a)
