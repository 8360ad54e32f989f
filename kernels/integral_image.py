"""Prefix sums over an image of counts, and box means of three radii from four corners each."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 120, "medium": 600, "large": 1_900}


def accumulate(image, table):
    height, width = image.shape
    for y in range(height):
        row_sum = 0
        for x in range(width):
            row_sum += image[y, x]
            table[y + 1, x + 1] = table[y, x + 1] + row_sum


def box_means(table, out, radius):
    height, width = out.shape
    for y in range(height):
        top = max(y - radius, 0)
        bottom = min(y + radius + 1, height)
        for x in range(width):
            left = max(x - radius, 0)
            right = min(x + radius + 1, width)
            total = table[bottom, right] - table[top, right]
            total += table[top, left] - table[bottom, left]
            out[y, x] += total / ((bottom - top) * (right - left))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    image = np.random.default_rng(1984).integers(0, 4096, (n, n))
    table = np.zeros((n + 1, n + 1), dtype=np.int64)
    out = np.zeros((n, n))

    start = time.perf_counter()
    accumulate(image, table)
    for radius in (1, 4, 12):
        box_means(table, out, radius)
    seconds = time.perf_counter() - start

    flat = out.ravel().tolist()
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3]) + int(table[-1, -1])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
