"""Symmetric rank-k update of a lower triangle in single precision, rows in parallel."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    rng = np.random.default_rng(47)
    a = rng.random((size, size), dtype=np.float32)
    c = rng.random((size, size), dtype=np.float32)
    return a, c, np.float32(1.5), np.float32(0.25)


@njit(cache=False)
def update_row(a, c, alpha, beta, i):
    for j in range(i + 1):
        acc = np.float32(0.0)
        for k in range(a.shape[1]):
            acc += a[i, k] * a[j, k]
        c[i, j] = alpha * acc + beta * c[i, j]


@njit(cache=False)
def serial(a, c, alpha, beta):
    for i in range(len(a)):
        update_row(a, c, alpha, beta, i)


@njit(cache=False, parallel=True)
def parallel(a, c, alpha, beta):
    for i in prange(len(a)):
        update_row(a, c, alpha, beta, i)


def checksum(args, result):
    flat = args[1].ravel().tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
