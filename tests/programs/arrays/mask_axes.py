"""What masks of several axes select: in the order of rows, however the array lies."""

import numpy as np


def f1(a, n):
    s = 0.0
    for i in range(n):  # native
        sel = a[a > 0.3]
        s += sel.sum() + len(sel)
        a[a > 0.5] *= 0.9
    return s, sel


def f2(a, n):
    for i in range(n):  # native
        a[a > 0] = a[a > 0] ** -0.5
    return a.sum()


def f3(a, b, n):
    t = 0.0
    for i in range(n):  # native
        m = (a > 0.2) & (b < 0.7)
        x = a[m]
        t += x.size
        if len(x):
            t += x.max() + x[0]
        a = a * 0.95
    return t


def f4(c, n):
    s = 0
    for i in range(n):  # native
        s += c[c % 3 == i % 3].sum()
    return s


def f5(a, n):
    out = 0.0
    for i in range(n):  # native
        out += np.mean(a[1:-1, ::2][a[1:-1, ::2] > 0.4])
    return out


rng = np.random.default_rng(0)
a = rng.random((7, 9))
s, sel = f1(a.copy(), 5)
print(s, sel.shape, sel.sum(), sel.flags.c_contiguous)
print(f2(a.copy(), 3), f3(a.copy(), rng.random((7, 9)), 6), f5(a, 3), f5(a.T, 3))
s, sel = f1(np.asfortranarray(a), 5)
print(s, sel)
c = rng.integers(0, 50, (4, 5, 6))
print(f4(c, 7), f4(c.transpose(2, 0, 1), 7))
print(f1(np.zeros((3, 0)), 2)[1].shape, f1(np.zeros((3, 3)), 2))
