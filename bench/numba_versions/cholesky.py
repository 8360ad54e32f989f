"""Cholesky factor in place; the parallel form is the left-looking one, column by column."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    index = np.arange(size, dtype=np.float64)
    return (1.0 / (1.0 + np.abs(index[:, None] - index[None, :])) + 2.0 * np.eye(size),)


@njit(cache=False)
def serial(a):
    for i in range(len(a)):
        row = a[i]
        for j in range(i):
            other = a[j]
            s = row[j]
            for k in range(j):
                s -= row[k] * other[k]
            row[j] = s / other[j]
        s = row[i]
        for k in range(i):
            s -= row[k] ** 2
        row[i] = math.sqrt(s)


@njit(cache=False, parallel=True)
def finish_column(a, j):
    for i in prange(j + 1, len(a)):
        s = a[i, j]
        for k in range(j):
            s -= a[i, k] * a[j, k]
        a[i, j] = s / a[j, j]


@njit(cache=False)
def parallel(a):
    for j in range(len(a)):
        s = a[j, j]
        for k in range(j):
            s -= a[j, k] ** 2
        a[j, j] = math.sqrt(s)
        finish_column(a, j)


def checksum(args, result):
    a = args[0]
    lower = [v for i, row in enumerate(a.tolist()) for v in row[: i + 1]]
    return math.fsum(lower) + math.fsum(lower[1::2]) + math.fsum(lower[2::3])
