"""Escape times of the Mandelbrot set: a while loop per pixel on plain floats."""

import argparse
import time

import numpy as np

SIZES = {"small": 89, "medium": 510, "large": 1_600}
LIMIT = 200


def escape_times(counts):
    height = len(counts)
    width = len(counts[0])
    for py in range(height):
        ci = -1.25 + 2.5 * py / height
        for px in range(width):
            cr = -2.0 + 2.75 * px / width
            zr = zi = 0.0
            count = 0
            while zr * zr + zi * zi <= 4.0 and count < LIMIT:
                zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
                count += 1
            counts[py][px] = count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    if options.form == "list":
        counts = [[0] * n for _ in range(n)]
    else:
        counts = np.zeros((n, n), dtype=np.int32)

    start = time.perf_counter()
    escape_times(counts)
    seconds = time.perf_counter() - start

    flat = [int(c) for row in counts for c in row]
    checksum = sum((k % 1019 + 1) * c for k, c in enumerate(flat))
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
