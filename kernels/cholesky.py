"""Cholesky factor of a symmetric positive definite matrix, lower triangle in place, row by row."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 100, "medium": 390, "large": 840}


def cholesky(a):
    for i in range(len(a)):
        row = a[i]
        for j in range(i):
            other = a[j]
            s = row[j]
            for k in range(j):
                s -= row[k] * other[k]
            row[j] = s / other[j]
        s = row[i]
        for k in range(i):
            s -= row[k] ** 2
        row[i] = math.sqrt(s)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    index = np.arange(n, dtype=np.float64)
    a = 1.0 / (1.0 + np.abs(index[:, None] - index[None, :])) + 2.0 * np.eye(n)
    if options.form == "list":
        a = a.tolist()

    start = time.perf_counter()
    cholesky(a)
    seconds = time.perf_counter() - start

    lower = [float(a[i][j]) for i in range(n) for j in range(i + 1)]
    checksum = math.fsum(lower) + math.fsum(lower[1::2]) + math.fsum(lower[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
