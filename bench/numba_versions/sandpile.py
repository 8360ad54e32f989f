"""Abelian sandpile toppled in place until stable; the sweep order leaves it serial."""

import numpy as np
from numba import njit


def setup(size):
    sand = np.random.default_rng(13).integers(0, 4, (size, size), dtype=np.int32)
    sand[size // 2, size // 2] += 8 * size * size // 3
    sand[size // 3, size // 4] += size * size
    return (sand,)


@njit(cache=False)
def serial(sand):
    n = sand.shape[0]
    topples = 0
    unstable = True
    while unstable:
        unstable = False
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                if sand[i, j] < 4:
                    continue
                share = sand[i, j] // 4
                sand[i, j] -= 4 * share
                sand[i - 1, j] += share
                sand[i + 1, j] += share
                sand[i, j - 1] += share
                sand[i, j + 1] += share
                topples += 1
                unstable = True
    return topples


parallel = None


def checksum(args, result):
    flat = args[0].ravel().tolist()
    return sum((k % 101 + 1) * grains for k, grains in enumerate(flat)) + 7 * result
