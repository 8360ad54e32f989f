"""Arrays of bools as subscripts in loops: of what is stored, of what is read."""

import numpy as np

rng = np.random.default_rng(11)


def show(*values):
    for v in values:
        print(type(v).__name__, np.asarray(v).dtype, np.asarray(v).tolist())


def clipped(a, low, high, n):
    for _ in range(n):  # native
        a *= 1.25
        a[a < low] = low
        a[a > high] = high
    return a


def escape(c, n):
    z, count = np.zeros_like(c), np.zeros_like(c)
    for k in range(n):  # native
        inside = np.abs(z) < 2.0
        count[inside] += 1.0
        z[inside] = z[inside] * z[inside] + c[inside]
    return z, count


def planes(a, m, n):
    for k in range(n):  # native
        a[m] *= 0.5
        a[a > 0.25] -= 0.125
        m[a < 0.125] = False
    return a, m


def selected(x, t, out):
    for i in range(len(out)):  # native
        big = x[x > t[i]]
        out[i] = np.sum(big) + len(big)
        if len(big) > 0:
            out[i] += big.max() - big[0] + np.mean(x[x > t[i]])


def kept(x, n):
    for k in range(n):  # native
        y = x[x > 0.5 + 0.001 * k]
    return y


def whole_numbers(a, limit, n):
    for k in range(n):  # native
        a[a > limit] = limit
        a[a == k] += 2
        a[(a > 3) & (a < 7)] *= 3
    return a


def bytes_of(a, n):
    for k in range(n):  # native
        a[a > 200] = 200
        a[a < 10 + k] += 50
    return a


def shifted(a, n):
    for k in range(n):  # native
        a[a[::-1] > 0.5] = 0.25 * k
        a[1:][a[:-1] > 0.5] = 0.0625
    return a


def too_large(a, n):
    for k in range(n):
        a[a > 100] = 300
    return a


def other_number(a, m, values, n):
    for k in range(n):  # native
        a[m[k]] = values
    return a


def other_shape(a, m, n):
    for k in range(n):
        a[m] = 1.0
    return a


def itself(m, n):
    for k in range(n):  # native
        m[m] = k % 2 == 0
    return m


def narrowed(a, x, n):
    for k in range(n):  # native
        a[a > 0.5] = x
    return a


def made_in_it(x, p, n):
    s = 0.0
    for k in range(n):  # native
        y = x * (1.0 + k) - 0.75
        y[y < 0.0] = 0.0
        y[p] += 0.5
        y[1:][y[1:] > 1.5] *= 0.5
        s += np.sum(y[y > 0.25]) + np.sum(y[p])
    return s, y


def not_a_number(a, n):
    for k in range(n):
        a[a > 5] = np.nan
    return a


show(clipped(rng.standard_normal(40), -0.75, 1.5, 9))
show(clipped(rng.standard_normal((6, 7)), -1, 2, 4))
show(*escape(rng.standard_normal(50), 12))
show(*planes(rng.random((9, 5)), rng.random((9, 5)) > 0.5, 6))
x, out = rng.random(60), np.zeros(12)
selected(x, np.linspace(0.0, 1.25, 12), out)
show(out)
show(kept(x, 20))
show(kept(np.zeros(5), 3))
show(whole_numbers(rng.integers(0, 20, 30), 12, 6))
show(bytes_of(rng.integers(0, 256, 40, np.uint8), 8))
show(shifted(rng.random(30), 8))
for a in (rng.integers(0, 256, 9, np.uint8), np.zeros(4, np.uint8), np.arange(200.0)):
    try:
        show(too_large(a, 2))
    except OverflowError as error:
        print(error)
        show(a)
masks = np.arange(6) % 3 == np.arange(3)[:, None]
show(other_number(np.zeros(6), masks, np.array([1.5, 2.5]), 3))
masks[2, 0] = True
a = np.zeros(6)
try:
    other_number(a, masks, np.array([1.5, 2.5]), 3)
except ValueError as error:
    print(error)
show(a)
for m in (np.ones(4, bool), np.ones((5, 1), bool)):
    try:
        show(other_shape(np.zeros(5), m, 2))
    except IndexError as error:
        print(error)
show(itself(np.arange(7) % 2 == 0, 4))
for value in (0.1, 7, np.float64(1e300), True):
    with np.errstate(over="ignore"):
        show(narrowed(rng.random(8).astype(np.float32), value, 3))
show(*made_in_it(rng.random(12), np.array([3, 3, 0]), 5))
for a in (np.arange(8), np.zeros(3, int)):
    try:
        show(not_a_number(a, 2))
    except ValueError as error:
        print(error)
show(clipped(np.zeros(0), 0.5, 0.75, 3), kept(np.zeros(0), 3))


# ---- Rows


def centres(points, labels, c, n):
    sizes = np.zeros(c.shape[0])
    for k in range(n):  # native
        for j in range(c.shape[0]):
            members = points[labels == j]
            sizes[j] = len(members)
            if len(members) > 0:
                c[j] = members.mean(axis=0) + members[0] * members.sum(axis=0)
                sizes[j] += members.max() + (members @ c[j]).sum() + members.sum()
        points[k % points.shape[0]] += 0.25
    return c, sizes, members


def too_long(points, n):
    for k in range(n):
        points[k] += points[np.ones(k + 3) > 0].sum()


rng = np.random.default_rng(5)
points = rng.random((40, 3))
show(*centres(points, rng.integers(0, 5, 40), np.zeros((6, 3)), 7))
try:
    too_long(rng.random((3, 2)), 3)
except IndexError as error:
    print(error)
