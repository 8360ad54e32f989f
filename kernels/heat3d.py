"""Explicit heat conduction in a cube: a seven-point stencil stepped in time with two buffers."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 15, "medium": 51, "large": 110}
STEPS = 10


def step(u, v, r):
    nx, ny, nz = u.shape
    for i in range(1, nx - 1):
        for j in range(1, ny - 1):
            for k in range(1, nz - 1):
                centre = u[i, j, k]
                v[i, j, k] = (
                    centre
                    + r * (u[i + 1, j, k] - 2.0 * centre + u[i - 1, j, k])
                    + r * (u[i, j + 1, k] - 2.0 * centre + u[i, j - 1, k])
                    + r * (u[i, j, k + 1] - 2.0 * centre + u[i, j, k - 1])
                )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    i, j, k = np.meshgrid(np.arange(n), np.arange(n), np.arange(n), indexing="ij")
    u = 20.0 + ((3 * i + 5 * j + 7 * k) % 13) * 1.25
    v = u.copy()

    start = time.perf_counter()
    for _ in range(STEPS):
        step(u, v, 0.125)
        u, v = v, u
    seconds = time.perf_counter() - start

    flat = u.ravel().tolist()
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
