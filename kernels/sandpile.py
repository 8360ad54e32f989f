"""Abelian sandpile: grains dropped on a square table, topples until every site is stable."""

import argparse
import time

import numpy as np

SIZES = {"small": 22, "medium": 58, "large": 100}


def settle(sand):
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


def settle_lists(sand):
    n = len(sand)
    topples = 0
    while True:
        before = topples
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                if sand[i][j] >= 4:
                    share, sand[i][j] = divmod(sand[i][j], 4)
                    sand[i - 1][j] += share
                    sand[i + 1][j] += share
                    sand[i][j - 1] += share
                    sand[i][j + 1] += share
                    topples += 1
        if topples == before:
            break
    return topples


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    sand = np.random.default_rng(13).integers(0, 4, (n, n), dtype=np.int32)
    sand[n // 2, n // 2] += 8 * n * n // 3
    sand[n // 3, n // 4] += n * n
    if options.form == "list":
        sand = sand.tolist()
        start = time.perf_counter()
        topples = settle_lists(sand)
        seconds = time.perf_counter() - start
    else:
        start = time.perf_counter()
        topples = settle(sand)
        seconds = time.perf_counter() - start
        sand = sand.tolist()

    flat = [grains for row in sand for grains in row]
    checksum = sum((k % 101 + 1) * grains for k, grains in enumerate(flat)) + 7 * topples
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
