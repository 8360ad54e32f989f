"""Ints of different signs and widths compared: nothing is converted before."""

import numpy as np


def mx(a, best):
    for x in a:  # native
        if x > best:
            best = x
    return best


def mx2(a):
    best = -1
    for x in a:  # native
        if x > best:
            best = x
    return best


def mn(a, best):
    for x in a:  # native
        best = min(best, x)
    return best


def cnt(a, t):
    n = 0
    for x in a:  # native
        if x > t:
            n += 1
        if t <= x:
            n += 10
        if x == t:
            n += 100
    return n


for t in (np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int64):
    a = np.arange(7).astype(t)
    for b in (-1, 0, 3, 300, 70000, 2**40, 2**63 + 1, -(2**40)):
        print(t.__name__, b, repr(mx(a, b)), repr(mx2(a)), repr(mn(a, b)), cnt(a, b))
big = np.array([2**63 + 5, 1, 2**64 - 1], dtype=np.uint64)
for b in (-1, 0, 2**63, 2**63 + 5, np.int64(-1), np.int64(5), np.uint64(2**63 + 5)):
    print(b, repr(mx(big, b)), repr(mn(big, b)), cnt(big, b))
