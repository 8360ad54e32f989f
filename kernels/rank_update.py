"""Symmetric rank-k update C = alpha A A^T + beta C of the lower triangle, in single precision."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 71, "medium": 280, "large": 600}


def update(a, c, alpha, beta):
    for i, row in enumerate(a):
        for j in range(i + 1):
            other = a[j]
            acc = np.float32(0.0)
            for x, y in zip(row, other):
                acc += x * y
            c[i, j] = alpha * acc + beta * c[i, j]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(47)
    a = rng.random((n, n), dtype=np.float32)
    c = rng.random((n, n), dtype=np.float32)

    start = time.perf_counter()
    update(a, c, 1.5, 0.25)
    seconds = time.perf_counter() - start

    flat = c.ravel().tolist()
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
