"""Reductions of rows, columns and slices in loops, in NumPy's own order of additions."""

import numpy as np

rng = np.random.default_rng(11)


def show(*values):
    for v in values:
        print(type(v).__name__, np.asarray(v).tolist())


def sums(a, s):
    for i in range(a.shape[0]):  # native
        s[i] = np.sum(a[i]) + a[i].sum() + a[i, 1:].sum() + np.sum(a[:, i % a.shape[1]])
        t = a[i, ::-1].sum()
    return t


def products(a, x, y):
    for i in range(a.shape[0]):  # native
        y[i] = a[i, :] @ x + np.dot(a[i, ::2], x[::2]) + a[i].dot(x)
        d = np.dot(a[i, 1:], x[:-1])
    return d


def of_computed(a, x, y):
    for i in range(a.shape[0]):  # native
        y[i] = np.sum((a[i] - x) ** 2) + np.sum(a[i] * x) + np.dot(a[i] - x, x * 2.0)


def factor(a):
    n = a.shape[0]
    for i in range(n):  # native
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])


def orthogonal(a, r, q):
    for k in range(a.shape[1]):  # native
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]


def extremes(a, m, p):
    for i in range(a.shape[0]):  # native
        m[i] = a[i].max() - np.min(a[i, :3]) + np.mean(a[i]) + a[i, 1:].mean()
        p[i] = np.argmax(a[i]) * 100 + a[i].argmin()


def counted(a, c):
    for i in range(a.shape[0]):  # native
        c[i] = np.sum(a[i] > 0.5) + 10 * (a[i] > 0.9).any() + 100 * np.all(a[i] > 0.01)
        a[i] = np.where(a[i] > 0.5, a[i], 0.0)


for n in (1, 3, 7, 8, 9, 17, 40, 129, 300):
    a, x = rng.random((12, n)), rng.random(n)
    s, y, m, p = np.zeros(12), np.zeros(12), np.zeros(12), np.zeros(12, int)
    show(sums(a, s), s, products(a, x, y), y)
    of_computed(a, x, y)
    show(y)
    if n > 1:
        extremes(a, m, p)
        show(m, p)
    counted(a, p)
    show(p, a[0])

for n in (4, 20, 45):
    a = rng.random((n, n))
    a = a @ a.T + n * np.eye(n)
    factor(a)
    show(a)
    a, r, q = rng.random((n + 2, n)), np.zeros((n, n)), np.zeros((n + 2, n))
    orthogonal(a, r, q)
    show(r, q)


# ---- Types


def of_ints(a, s):
    for i in range(a.shape[0]):  # native
        s[i] = a[i].sum() + np.dot(a[i], a[0]) + a[i].max()
        t = np.sum(a[i])
    return t


a = rng.integers(-50, 50, (6, 9))
s = np.zeros(6, int)
show(of_ints(a, s), s)


def of_narrow(a, s):
    for i in range(a.shape[0]):  # native
        s[i] = a[i].sum()
        t = a[i].max()
    return t


for dtype in np.int8, np.uint8, np.int32, np.uint32, np.float32, np.uint64:
    a = (rng.random((5, 40)) * 100 + 1).astype(dtype)
    s = np.zeros(5)
    show(of_narrow(a, s), s)


def of_bools(a, s):
    for i in range(a.shape[0]):  # native
        s[i] = a[i].sum() + a[i].any() + 2 * a[i].all()


s = np.zeros(5, int)
of_bools(rng.random((5, 6)) > 0.3, s)
show(s)


# ---- What is CPython's


def odd(a, s):
    for i in range(a.shape[0]):  # native
        s[i] = a[i].max() + np.argmin(a[i])


a, s = rng.random((20, 4)), np.zeros(20)
a[7, 1] = np.nan
a[9] = [-1.0, 0.0, -0.0, -2.0]
odd(a, s)
show(s)


def empty(a, s, n):
    for i in range(n):  # native
        s[i] = a[i, : n - i - 1].sum()
        s[i] += a[i, : n - i - 1].max()


a, s = rng.random((20, 20)), np.zeros(20)
try:
    empty(a, s, 20)
except ValueError as e:
    print(e)
show(s)


def misfit(a, x, s):
    for i in range(20):  # native
        s[i] = a[i, i:] @ x[: 20 - i]
        s[i] += np.dot(a[i, : 20 - i], x[: 20 - i - i // 12])


try:
    misfit(a, rng.random(20), s)
except ValueError as e:
    print(e)
show(s)


def overflows(a, s):
    for i in range(a.shape[0]):  # native
        s[i] = a[i].sum()


a, s = rng.random((20, 5)), np.zeros(20)
a[6] = 1e308
with np.errstate(all="ignore"):
    overflows(a, s)
show(s)


def iterated(a, x):
    s = 0.0
    for i in range(a.shape[0]):  # native
        for v in a[i, 1:]:
            s += v * v
        for k, (p, q) in enumerate(zip(a[i], x[::-1])):
            s -= k * p * q
        s += sum(a[i, 1:]) + max(a[i, :3]) - min(x[1:])
    return s


def tail(x):
    s = 0.0
    for v in x[1:]:  # native
        s += v
    for v in reversed(x[2:-1]):  # native
        s = s * 0.5 + v
    return s


show(iterated(rng.random((6, 7)), rng.random(7)), tail(rng.random(30)), tail(rng.random(3)))


def warned(a, s):
    for i in range(a.shape[0]):  # native
        s[i] = a[i].sum() + a[i] @ a[0] + np.dot(a[i], a[0])


a, s = rng.random((20, 5)), np.zeros(20)
a[6] = [np.inf, -np.inf, 1.0, 0.0, 2.0]
warned(a, s)
show(s)


def of_one(a, b, s):
    for i in range(a.shape[0]):  # native
        s[i] = np.dot(a[i], b[i])
        t = a[i] @ b[i]
    return t


show(of_one(np.array([[-0.0], [2.0]]), np.array([[1.0], [3.0]]), s), np.copysign(1.0, s[:2]))


def swapped(a, b, n):
    for i in range(n):  # cpython
        b[1:-1] = a[1:-1] + 1
        a, b = b, a
    return a, b


try:
    swapped(np.zeros(5), np.ones(9), 3)
except ValueError as e:
    print(e)
