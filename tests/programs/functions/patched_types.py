"""A type of NumPy's replaced before the program's first loop: NumPy's own objects stay what they are."""

import numpy as np
from showing import show

np.float64, kept = np.float32, np.float64


def total(a):
    s = np.float64(0)
    for i in range(len(a)):
        s = s * 1.25 + a[i]
    return s


def plain(n):
    s = 0
    for i in range(n):  # native
        s += i * i
    return s


show("replaced", total(np.arange(5.0)), total(np.arange(5, dtype="f4")), plain(50))
np.float64 = kept
show("as before", total(np.arange(5.0)), total(np.arange(5, dtype="f4")), plain(50))
