"""All-pairs shortest paths with integer distances; rows of each round in parallel."""

import numpy as np
from numba import njit, prange

FAR = 1_000_000_000


def setup(size):
    rng = np.random.default_rng(1959)
    dist = rng.integers(1, 1000, (size, size))
    dist[rng.random((size, size)) < 0.9] = FAR
    dist[np.arange(size), np.arange(size)] = 0
    dist[np.arange(size), (np.arange(size) + 1) % size] = 500
    return (dist,)


@njit(cache=False)
def relax_row(dist, k, i):
    via = dist[k]
    row = dist[i]
    to_k = row[k]
    for j in range(len(row)):
        row[j] = min(row[j], to_k + via[j])


@njit(cache=False)
def serial(dist):
    n = len(dist)
    for k in range(n):
        for i in range(n):
            relax_row(dist, k, i)


@njit(cache=False, parallel=True)
def parallel(dist):
    n = len(dist)
    for k in range(n):
        for i in prange(n):
            relax_row(dist, k, i)


def checksum(args, result):
    return sum((i % 97 + 1) * sum(row) for i, row in enumerate(args[0].tolist()))
