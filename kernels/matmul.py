"""Dense matrix product C = A B with the textbook triple loop and a scalar accumulator."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 54, "medium": 200, "large": 430}


def multiply(a, b, c):
    n, m = a.shape
    p = b.shape[1]
    for i in range(n):
        for j in range(p):
            total = 0.0
            for k in range(m):
                total += a[i, k] * b[k, j]
            c[i, j] = total


def multiply_lists(a, b, c):
    for i in range(len(a)):
        for j in range(len(b[0])):
            total = 0.0
            for k in range(len(b)):
                total += a[i][k] * b[k][j]
            c[i][j] = total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(11)
    a = rng.random((n, n))
    b = rng.random((n, n))
    if options.form == "list":
        a, b = a.tolist(), b.tolist()
        c = [[0.0] * n for _ in range(n)]
        start = time.perf_counter()
        multiply_lists(a, b, c)
        seconds = time.perf_counter() - start
        flat = [value for row in c for value in row]
    else:
        c = np.zeros((n, n))
        start = time.perf_counter()
        multiply(a, b, c)
        seconds = time.perf_counter() - start
        flat = c.ravel().tolist()

    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
