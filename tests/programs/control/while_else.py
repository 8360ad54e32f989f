"""The else of a while whose condition takes several steps to evaluate."""

import numpy as np
from showing import attempt


def stepwise(a, i):
    x = w = 0
    while w < 5 and (a[(i - i) % len(a[0])][0] > w):  # native
        w += 1
    else:
        x = 1
    return x, w


def left(a, i):
    x = w = 0
    while w < 5 and (a[(i - i) % len(a[0])][0] > w):  # native
        w += 1
        if w == 2:
            break
        if w > 7:
            continue
        x += w
    else:
        x = -1
    return x, w


def unassigned(a, i):
    while a[(i - i) % len(a[0])][0] > 100:  # native
        y = a[0][0]
        a[0][0] -= 1
    else:
        i += 1
    return i, y


def inner(a, n):
    found = 0
    for i in range(n):  # native
        w = 0
        while w < 4 and a[(i * i) % len(a)][w % len(a[0])] > w - i:
            w += 1
        else:
            found += 10
        found += w
    return found


for first in (-1, 0, 1, 2, 3, 8, 103):
    attempt(stepwise, [[first, 2]], 2)
    attempt(left, [[first, 2]], 2)
    attempt(unassigned, [[first, 2]], 2)
    attempt(stepwise, np.array([[first, 2.5]]), 2)
    attempt(left, np.array([[first, 2]]), 2)
    attempt(inner, [[first, 2], [1, 5], [0, 1]], 9)
