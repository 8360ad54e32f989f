"""Forward and backward substitution; the parallel form gives each thread a block of right sides."""

import math

import numpy as np
from numba import get_num_threads, njit, prange


def setup(size):
    rng = np.random.default_rng(3)
    lu = rng.uniform(-0.5, 0.5, (size, size)) / size + 2.0 * np.eye(size)
    return lu, rng.uniform(0.5, 1.5, (size, size // 5 + 1))


@njit(cache=False)
def solve_block(lu, b, low, high):
    n = len(lu)
    for i in range(n):
        for j in range(i):
            factor = lu[i, j]
            for c in range(low, high):
                b[i, c] -= factor * b[j, c]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            factor = lu[i, j]
            for c in range(low, high):
                b[i, c] -= factor * b[j, c]
        for c in range(low, high):
            b[i, c] /= lu[i, i]


@njit(cache=False)
def serial(lu, b):
    solve_block(lu, b, 0, b.shape[1])


@njit(cache=False, parallel=True)
def parallel(lu, b):
    blocks = get_num_threads()
    columns = b.shape[1]
    for block in prange(blocks):
        solve_block(lu, b, columns * block // blocks, columns * (block + 1) // blocks)


def checksum(args, result):
    flat = args[1].ravel().tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
