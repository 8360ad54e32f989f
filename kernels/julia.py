"""Smooth-shaded Julia set on a grid of complex numbers."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 60, "medium": 300, "large": 950}
LIMIT = 150


def shade(grid, brightness, c):
    rows, columns = grid.shape
    for i in range(rows):
        for j in range(columns):
            z = grid[i, j]
            for step in range(LIMIT):
                size = z.real * z.real + z.imag * z.imag
                if size > 64.0:
                    brightness[i, j] = step + 1.0 - math.log(0.5 * math.log(size), 2.0)
                    break
                z = z * z + c
            else:
                brightness[i, j] = 0.0
            grid[i, j] = z


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    axis = np.linspace(-1.5, 1.5, n)
    grid = axis[None, :] + 1j * axis[:, None]
    brightness = np.empty((n, n))

    start = time.perf_counter()
    shade(grid, brightness, complex(-0.8, 0.156))
    seconds = time.perf_counter() - start

    flat = brightness.ravel().tolist()
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    checksum += math.fsum(abs(z) for z in grid.ravel().tolist())
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
