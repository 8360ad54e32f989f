"""LU factorisation with partial pivoting; the parallel form updates the rows below in parallel."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    a = np.random.default_rng(23).uniform(-1.0, 1.0, (size, size))
    return a, np.arange(size)


@njit(cache=False)
def exchange(a, perm, k):
    n = a.shape[0]
    pivot = k
    largest = abs(a[k, k])
    for i in range(k + 1, n):
        size = abs(a[i, k])
        if size > largest:
            largest, pivot = size, i
    if pivot != k:
        perm[k], perm[pivot] = perm[pivot], perm[k]
        for j in range(n):
            a[k, j], a[pivot, j] = a[pivot, j], a[k, j]


@njit(cache=False)
def serial(a, perm):
    n = a.shape[0]
    for k in range(n):
        exchange(a, perm, k)
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


@njit(cache=False, parallel=True)
def eliminate(a, k):
    n = a.shape[0]
    for i in prange(k + 1, n):
        factor = a[i, k] / a[k, k]
        a[i, k] = factor
        for j in range(k + 1, n):
            a[i, j] -= factor * a[k, j]


@njit(cache=False)
def parallel(a, perm):
    for k in range(a.shape[0]):
        exchange(a, perm, k)
        eliminate(a, k)


def checksum(args, result):
    a, perm = args
    flat = np.abs(a).ravel().tolist()
    moved = sum(i * p for i, p in enumerate(perm.tolist()))
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3]) + moved
