"""Conway's game of life on a torus; rows of one generation in parallel."""

import numpy as np
from numba import njit, prange


def setup(size):
    grid = (np.random.default_rng(8).random((size, size)) < 0.35).astype(np.int64)
    return grid, np.zeros_like(grid), max(1, size // 4)


@njit(cache=False)
def evolve_row(grid, fresh, i):
    n, m = grid.shape
    above = i - 1 if i > 0 else n - 1
    below = i + 1 if i + 1 < n else 0
    for j in range(m):
        left = j - 1 if j > 0 else m - 1
        right = j + 1 if j + 1 < m else 0
        alive = grid[above, left] + grid[above, j] + grid[above, right]
        alive += grid[i, left] + grid[i, right]
        alive += grid[below, left] + grid[below, j] + grid[below, right]
        fresh[i, j] = 1 if alive == 3 or (alive == 2 and grid[i, j] == 1) else 0


@njit(cache=False)
def serial(grid, fresh, generations):
    for _ in range(generations):
        for i in range(len(grid)):
            evolve_row(grid, fresh, i)
        grid, fresh = fresh, grid
    return grid


@njit(cache=False, parallel=True)
def generation(grid, fresh):
    for i in prange(len(grid)):
        evolve_row(grid, fresh, i)


@njit(cache=False)
def parallel(grid, fresh, generations):
    for _ in range(generations):
        generation(grid, fresh)
        grid, fresh = fresh, grid
    return grid


def checksum(args, result):
    return sum((k % 1009 + 1) * value for k, value in enumerate(result.ravel().tolist()))
