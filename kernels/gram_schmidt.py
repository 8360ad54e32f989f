"""QR decomposition by modified Gram-Schmidt, column by column, with small helper functions."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 46, "medium": 170, "large": 370}


def column_dot(a, i, b, j):
    total = 0.0
    for row in range(a.shape[0]):
        total += a[row, i] * b[row, j]
    return total


def orthogonalise(a, q, r):
    rows, columns = a.shape
    for k in range(columns):
        norm = math.sqrt(column_dot(a, k, a, k))
        r[k, k] = norm
        for i in range(rows):
            q[i, k] = a[i, k] / norm
        for j in range(k + 1, columns):
            overlap = column_dot(q, k, a, j)
            r[k, j] = overlap
            for i in range(rows):
                a[i, j] -= q[i, k] * overlap


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    a = np.random.default_rng(31).random((n + n // 4, n)) + 0.1
    q = np.zeros_like(a)
    r = np.zeros((n, n))

    start = time.perf_counter()
    orthogonalise(a, q, r)
    seconds = time.perf_counter() - start

    flat = [abs(value) for value in q.ravel().tolist() + r.ravel().tolist()]
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
