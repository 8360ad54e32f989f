"""Dense matrix product C = A B, triple loop; the parallel form takes rows in k-i-j order."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    rng = np.random.default_rng(11)
    a = rng.random((size, size))
    b = rng.random((size, size))
    return a, b, np.zeros((size, size))


@njit(cache=False)
def serial(a, b, c):
    n, m = a.shape
    p = b.shape[1]
    for i in range(n):
        for j in range(p):
            total = 0.0
            for k in range(m):
                total += a[i, k] * b[k, j]
            c[i, j] = total


@njit(cache=False, parallel=True)
def parallel(a, b, c):
    n, m = a.shape
    p = b.shape[1]
    for i in prange(n):
        for k in range(m):
            factor = a[i, k]
            for j in range(p):
                c[i, j] += factor * b[k, j]


def checksum(args, result):
    flat = args[2].ravel().tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
