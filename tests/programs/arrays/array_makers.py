"""Arrays that functions make and return, sizes from outside, norms."""

import numpy as np

rng = np.random.default_rng(8)


def show(*values):
    for v in values:
        print(type(v).__name__, getattr(v, "strides", ""), np.asarray(v).tolist())


def force(x, centres):
    total = np.zeros(3)
    for k in range(centres.shape[0]):
        d = centres[k] - x
        r = np.linalg.norm(d) + 0.1
        total += d / r**3
    return total


def both(x):
    y = x * 2.0
    y[0] = 1.0
    return y, y.sum()


def settle(x, v, centres, steps):
    for _ in range(steps):  # native
        a = force(x, centres)
        v = v + 0.01 * a
        x = x + 0.01 * v
    return x, v, a


show(*settle(rng.random(3), np.zeros(3), rng.random((5, 3)), 12))


def pairs(a, out):
    for i in range(a.shape[0]):  # native
        y, s = both(a[i])
        out[i] = s + y[0] + np.linalg.norm(a[i] - y)
    return y


out = np.zeros(5)
show(pairs(rng.random((5, 4)), out), out)


def sized(n, m, out):
    for i in range(out.shape[0]):  # native
        t = np.zeros(n)
        t[i % 3 :] = i
        u = np.full((2, n), 0.5)
        u[1] += t
        w = np.empty(m)
        w[:] = i * 0.5
        e = np.empty_like(t)
        e[:] = 1.0
        out[i] = t.sum() + u[1].max() + w.sum() + e @ t
    return t, u, w, e


out = np.zeros(9)
show(*sized(5, 3, out), out)
show(*sized(3, 0, out), out)


def negative(n, out):
    for i in range(out.shape[0]):
        t = np.zeros(n)
        out[i] = len(t)


try:
    negative(-2, out)
except ValueError as e:
    print(e)


def same_again(a):
    def own(r):
        t = r + 1.0
        u = t
        return u

    for i in range(a.shape[0]):  # native
        a[i] = own(a[i])


a = rng.random((3, 2))
same_again(a)
show(a)


def chosen(r, k):
    if k % 2:
        return r * 2.0
    return r - 1.0


def branches(a, out):
    for i in range(a.shape[0]):  # native
        t = chosen(a[i], i)
        t[0] = 5.0
        out[i] = t.sum()
    return t


out = np.zeros(4)
show(branches(rng.random((4, 3)), out), out)


def through(r):
    return r


def handed_back(a, out):
    for i in range(a.shape[0]):
        t = a[i] * 2.0
        u = through(t)
        u[0] = 7.0
        out[i] = t.sum()
    return u is t


def only_read(a, out):
    for i in range(a.shape[0]):  # native
        t = a[i] * 2.0
        u = through(t)
        t = t + 1.0
        out[i] = u.sum() + t[0]
    return u, t


show(handed_back(rng.random((4, 3)), out), out)
show(*only_read(rng.random((4, 3)), out), out)


def views_back(a, out):
    for i in range(a.shape[0]):  # native
        u = through(a[i, 1:])
        u[0] = 7.0
        out[i] = a[i].sum()
    return u


a = rng.random((4, 3))
u = views_back(a, out)
u[1] = 8.0
show(out, a)


# ---- Types of elements


def typed(n, x):
    total = 0.0
    for k in range(n):  # native
        labels = np.zeros(len(x), dtype=int)
        flags = np.zeros(n, bool)
        small = np.ones((2, n), dtype=np.float32)
        counts = np.ones_like(x, dtype=np.int32)
        whole = np.array([1, k], dtype=float)
        for i in range(len(x)):
            labels[i] = i * k
            flags[i % n] = x[i] > 0.5
            counts[i] += 2
        small[1, k] = 0.5
        total += labels.sum() + flags.sum() + small.sum() + counts.max() + whole[1] / 2
    return total, labels, flags, small, counts, whole


show(*typed(5, rng.random(7)))


def computed_sizes(n, m, k):
    t = 0.0
    for i in range(k):  # native
        a = np.zeros(n - m)
        b = np.ones((2 * n, m // 2))
        for j in range(len(a)):
            a[j] = i * j
        t += a.sum() + b.sum()
    return t, a.shape, b.shape


for n, m in ((9, 4), (4, 4), (3, 5), (5, 1), (0, 0), (5, -3)):
    try:
        show(*computed_sizes(n, m, 4))
    except ValueError as error:
        show(str(error))
