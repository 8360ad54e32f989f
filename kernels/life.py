"""Conway's game of life on a torus of integers."""

import argparse
import time

import numpy as np

SIZES = {"small": 54, "medium": 165, "large": 360}


def evolve(grid, fresh, generations):
    n, m = grid.shape
    for _ in range(generations):
        for i in range(n):
            below = (i + 1) % n
            for j in range(m):
                right = (j + 1) % m
                alive = (
                    grid[i - 1, j - 1]
                    + grid[i - 1, j]
                    + grid[i - 1, right]
                    + grid[i, j - 1]
                    + grid[i, right]
                    + grid[below, j - 1]
                    + grid[below, j]
                    + grid[below, right]
                )
                if alive == 3 or (alive == 2 and grid[i, j] == 1):
                    fresh[i, j] = 1
                else:
                    fresh[i, j] = 0
        grid, fresh = fresh, grid
    return grid


def evolve_lists(grid, fresh, generations):
    n = len(grid)
    m = len(grid[0])
    for _ in range(generations):
        for i in range(n):
            up = grid[i - 1]
            row = grid[i]
            down = grid[i + 1] if i + 1 < n else grid[0]
            for j in range(m):
                r = j + 1 if j + 1 < m else 0
                alive = up[j - 1] + up[j] + up[r] + row[j - 1] + row[r]
                alive += down[j - 1] + down[j] + down[r]
                fresh[i][j] = 1 if alive == 3 or (alive == 2 and row[j]) else 0
        grid, fresh = fresh, grid
    return grid


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    generations = max(1, n // 4)
    grid = (np.random.default_rng(8).random((n, n)) < 0.35).astype(np.int64)
    fresh = np.zeros_like(grid)
    if options.form == "list":
        grid, fresh = grid.tolist(), fresh.tolist()
        start = time.perf_counter()
        grid = evolve_lists(grid, fresh, generations)
        seconds = time.perf_counter() - start
    else:
        start = time.perf_counter()
        grid = evolve(grid, fresh, generations)
        seconds = time.perf_counter() - start
        grid = grid.tolist()

    cells = [value for row in grid for value in row]
    checksum = sum((k % 1009 + 1) * value for k, value in enumerate(cells))
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
