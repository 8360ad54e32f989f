"""Names that are given what they hold, among others: they may hold what they held before the loop."""

import numpy as np


def crosswise(u, w, n):
    v = w
    for i in range(n):  # native
        v = u
        if i == 5:
            u = w.copy()
        u, w = u, v
    return u, w, v


def beside(u, n):
    k = 0
    for i in range(n):  # native
        if i == 5:
            u = np.ones(9)
        u, k = u, 3
    return u, k


def after(u, n):
    k = 0.0
    for i in range(n):  # native
        if i == 5:
            u = np.ones(9)
        k, u = u[0], u
    return u, k


for n in (1, 4, 6, 9):
    u, w = np.arange(9.0), np.full(9, 2.0)
    got = crosswise(u, w, n)
    print([[a is b for a in got] for b in (u, w, *got)], [float(a.sum()) for a in got])
    for f in (beside, after):
        found, k = f(u, n)
        print(f.__name__, found is u, k, found.sum())


def unbound(n):
    for i in range(n):
        if i == 3:
            x = 1
        x, y = x, i
    return x, y


try:
    print(unbound(5))
except UnboundLocalError as error:
    print(error)
