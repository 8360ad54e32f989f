"""Warnings of a script with default filters, then an overflow that nobody catches."""

import math

import numpy as np


def scale(a, factor):
    for i in range(len(a)):  # native
        a[i] = a[i] * factor
    return a


a = np.array([1.0, 1e300, -1e300])
print(scale(a, 2.0).tolist())
print(scale(a, 1e10).tolist())
print(scale(a, 1e10).tolist())
print(scale(np.array([100, 1], dtype=np.int8), 2).tolist())
s = 0.0
for k in range(2000):  # native
    s += math.exp(k)
print("never", s)
