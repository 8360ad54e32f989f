"""Weighted two-dimensional histogram of scattered points; points outside the window are dropped."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 34_000, "medium": 1_800_000, "large": 18_000_000}
BINS = 64


def fill(xs, ys, weights, grid, low, high):
    bins = len(grid)
    scale = bins / (high - low)
    inside = 0
    for n in range(len(xs)):
        x = xs[n]
        y = ys[n]
        if not (low <= x < high and low <= y < high):
            continue
        column = int((x - low) * scale)
        row = int((y - low) * scale)
        grid[row][column] += weights[n]
        inside += 1
    return inside


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(1895)
    xs = rng.normal(0.0, 1.0, n)
    ys = 0.4 * xs + rng.normal(0.0, 0.8, n)
    weights = rng.random(n)
    grid = np.zeros((BINS, BINS))
    if options.form == "list":
        xs, ys, weights, grid = xs.tolist(), ys.tolist(), weights.tolist(), grid.tolist()

    start = time.perf_counter()
    inside = fill(xs, ys, weights, grid, -2.0, 2.0)
    seconds = time.perf_counter() - start

    flat = [float(v) for row in grid for v in row]
    checksum = math.fsum((k % 61 + 1) * v for k, v in enumerate(flat)) + inside
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
