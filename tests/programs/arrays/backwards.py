"""Recurrences that go down, and take what the iteration before has stored; lengths around nothing."""

import numpy as np
from showing import show


def substitute(t, c, d):
    for i in range(len(t) - 2, -1, -1):  # native
        t[i] = d[i] - c[i] * t[i + 1]
    return t


def reversed_range(t, c):
    n = len(t)
    for i in reversed(range(n - 1)):  # native
        t[i] = t[i + 1] * 0.5 + c[i]
    return t


def in_rows(t, c):
    for r in range(t.shape[0]):  # native
        for j in range(t.shape[1] - 2, -1, -1):
            t[r, j] += c[r, j] * t[r, j + 1]
    return t


def two_before(t):
    for i in range(len(t) - 3, -1, -1):  # native
        t[i] = t[i + 1] - t[i + 2] * 0.25
    return t


def ints_modulo(t, k):
    for i in range(len(t) - 2, -1, -1):  # native
        t[i] = (t[i] + t[i + 1] * k) % 65521
    return t


def under_a_condition(t, c):
    for i in range(len(t) - 2, -1, -1):  # native
        if c[i] > 0.5:
            t[i] = t[i + 1] + c[i]
    return t


def overwritten_beside(t, u):
    for i in range(len(t) - 2, -1, -1):  # native
        u[i] = t[i + 1] * 2.0
        t[i] = u[i] + 1.0
    return t, u


def same_array(t):
    return overwritten_beside(t, t[1:])


def from_the_end(t):
    for i in range(-1, -len(t), -1):  # native
        t[i - 1] = t[i - 1] + t[i] * 0.5
    return t


for n in (0, 1, 2, 3, 4, 5, 8, 9, 31, 100):
    rng = np.random.default_rng(n)
    t, c, d = rng.random(n), rng.random(n), rng.random(n)
    show("substitute", n, substitute(t.copy(), c, d))
    show("substitute", n, substitute(t.tolist(), c.tolist(), d.tolist()))
    show("reversed", n, reversed_range(t.copy(), c))
    show("two before", n, two_before(t.copy()))
    show("modulo", n, ints_modulo(rng.integers(-9, 10**6, n), 31))
    show("condition", n, under_a_condition(t.copy(), c))
    show("beside", n, overwritten_beside(t.copy(), np.zeros(n)))
    show("from the end", n, from_the_end(t.copy()))
    if n > 1:
        show("same", n, same_array(t.copy()))
        show("rows", n, in_rows(rng.random((3, n)), rng.random((3, n))))
