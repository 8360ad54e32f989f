"""Names of arrays that are handed on together (`before, u = u, new`), and numbers so."""

import numpy as np


def wave(u, n):
    before = u.copy()
    for t in range(n):  # native
        new = 2.0 * u - before + 0.1 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))
        new[0] = new[-1] = 0.0
        before, u = u, new
    return before, u


def the_other_way(u, v, n):
    for t in range(n):  # native
        new = u - 0.1 * u * (u - np.roll(u, 1))
        new[0] = 0
        u, v = new, u
    return u, v


def three(a, b, n):
    c = b
    for t in range(n):  # native
        d = a + 0.5 * b
        a, b, c = b, d, a
    return a, b, c


def kept(u, w, n):
    for t in range(n):  # native
        old = u
        if t % 4 == 2:
            u = w.copy()
        u, w = u, old
    return u, w, old


def numbers(a, b, c, n):
    for t in range(n):  # native
        a, b, c = b, c, a
        a, b = b, a + 1
    return a, b, c


def several(u, n):
    """What changes places is left to CPython, and gives what it gives."""
    v = u + 1.0
    for t in range(n):
        u = u * 0.5
        u, v = v, u
        u[0] = t
    return u, v


for n in (0, 1, 2, 3, 9):
    u, v = np.linspace(0.0, 1.0, 8), np.ones(8)
    for got in (
        wave(u.copy(), n),
        the_other_way(u, v, n),
        three(u, v, n),
        kept(u, v, n) if n else (u, v),
        several(u.copy(), n),
    ):
        same = [[np.shares_memory(x, y) for y in (u, v, *got)] for x in got]
        print(n, [float(x.sum()) for x in got], same)
    print(numbers(1, 2, 3, n), u.sum(), v.sum())
