"""LU factorisation in place with partial pivoting; the row exchanges are kept in an index array."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 67, "medium": 250, "large": 540}


def factor(a, perm):
    n = a.shape[0]
    for k in range(n):
        pivot = k
        largest = abs(a[k, k])
        for i in range(k + 1, n):
            size = abs(a[i, k])
            if size > largest:
                largest, pivot = size, i
        if pivot != k:
            perm[k], perm[pivot] = perm[pivot], perm[k]
            for j in range(n):
                a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


def factor_lists(a, perm):
    n = len(a)
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i][k]) > abs(a[pivot][k]):
                pivot = i
        if pivot != k:
            perm[k], perm[pivot] = perm[pivot], perm[k]
            a[k], a[pivot] = a[pivot], a[k]
        top = a[k]
        for i in range(k + 1, n):
            row = a[i]
            factor_ik = row[k] / top[k]
            row[k] = factor_ik
            for j in range(k + 1, n):
                row[j] -= factor_ik * top[j]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    a = np.random.default_rng(23).uniform(-1.0, 1.0, (n, n))
    perm = np.arange(n)
    if options.form == "list":
        a, perm = a.tolist(), perm.tolist()
        start = time.perf_counter()
        factor_lists(a, perm)
        seconds = time.perf_counter() - start
    else:
        start = time.perf_counter()
        factor(a, perm)
        seconds = time.perf_counter() - start
        a, perm = a.tolist(), perm.tolist()

    flat = [abs(value) for row in a for value in row]
    moved = sum(i * p for i, p in enumerate(perm))
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3]) + moved
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
