"""Rows and arrays under several names, told apart by `is`."""

import numpy as np
from showing import show


def whole_alias(a):
    b = a
    for i in range(1, len(a)):
        b[i] = a[i - 1] + 1
    return a, b is a


def alias_inside(a):
    for k in range(3):
        b = a
        for i in range(len(b)):
            b[i] += k
    return a, b is a


def shared_rows(n):
    L = [[0] * n] * n
    for i in range(n):
        for j in range(n):
            L[i][j] += i + j
    return L, L[0] is L[-1]


def identity(A):
    rows = 0
    for row in A:
        for other in A:
            if row is other:
                rows += 1
    return rows


show("alias", *whole_alias(np.zeros(5)), *whole_alias([0, 0, 0]), *alias_inside(np.zeros(3)))
show("shared", *shared_rows(3))
twice = [0.5]
show("identity", identity([[1], [1]]), identity([twice, twice]))
