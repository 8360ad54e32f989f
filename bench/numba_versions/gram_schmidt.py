"""QR by modified Gram-Schmidt; the parallel form updates the remaining columns in parallel."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    a = np.random.default_rng(31).random((size + size // 4, size)) + 0.1
    return a, np.zeros_like(a), np.zeros((size, size))


@njit(cache=False)
def column_dot(a, i, b, j):
    total = 0.0
    for row in range(a.shape[0]):
        total += a[row, i] * b[row, j]
    return total


@njit(cache=False)
def normalise(a, q, r, k):
    norm = math.sqrt(column_dot(a, k, a, k))
    r[k, k] = norm
    for i in range(a.shape[0]):
        q[i, k] = a[i, k] / norm


@njit(cache=False)
def serial(a, q, r):
    rows, columns = a.shape
    for k in range(columns):
        normalise(a, q, r, k)
        for j in range(k + 1, columns):
            overlap = column_dot(q, k, a, j)
            r[k, j] = overlap
            for i in range(rows):
                a[i, j] -= q[i, k] * overlap


@njit(cache=False, parallel=True)
def project_out(a, q, r, k):
    rows, columns = a.shape
    for j in prange(k + 1, columns):
        overlap = column_dot(q, k, a, j)
        r[k, j] = overlap
        for i in range(rows):
            a[i, j] -= q[i, k] * overlap


@njit(cache=False)
def parallel(a, q, r):
    for k in range(a.shape[1]):
        normalise(a, q, r, k)
        project_out(a, q, r, k)


def checksum(args, result):
    _, q, r = args
    flat = np.abs(q).ravel().tolist() + np.abs(r).ravel().tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
