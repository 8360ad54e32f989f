"""Longest common subsequence of two byte strings; the parallel form walks the anti-diagonals."""

import numpy as np
from numba import njit, prange


def setup(size):
    rng = np.random.default_rng(4)
    letters = np.frombuffer(b"ACGT", dtype=np.uint8)
    a = letters[rng.integers(0, 4, size)]
    b = letters[rng.integers(0, 4, size + 7)]
    return a, b, np.zeros((len(a) + 1, len(b) + 1), dtype=np.int32)


@njit(cache=False)
def trace(a, b, table):
    i, j = len(a), len(b)
    signature = 0
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            i -= 1
            j -= 1
            signature = (signature * 131 + i * 7 + j) % 1_000_000_007
        elif table[i - 1, j] >= table[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return signature


@njit(cache=False)
def fill_block(a, b, table, top, bottom, left, right):
    for i in range(top, bottom):
        for j in range(left, right):
            if a[i - 1] == b[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])


@njit(cache=False)
def serial(a, b, table):
    fill_block(a, b, table, 1, len(a) + 1, 1, len(b) + 1)
    return trace(a, b, table)


@njit(cache=False, parallel=True)
def diagonal(a, b, table, block, wave, low, high):
    for row in prange(low, high):
        top = 1 + row * block
        left = 1 + (wave - row) * block
        bottom = min(top + block, len(a) + 1)
        right = min(left + block, len(b) + 1)
        fill_block(a, b, table, top, bottom, left, right)


@njit(cache=False)
def parallel(a, b, table):
    block = 256
    rows = (len(a) + block - 1) // block
    columns = (len(b) + block - 1) // block
    for wave in range(rows + columns - 1):
        diagonal(a, b, table, block, wave, max(0, wave - columns + 1), min(rows, wave + 1))
    return trace(a, b, table)


def checksum(args, result):
    a, _, table = args
    total = result + sum((i % 89 + 1) * v for i, v in enumerate(table[:, -1].tolist()))
    return total + sum(int(table[i, i]) for i in range(len(a)))
