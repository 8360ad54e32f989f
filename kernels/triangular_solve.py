"""Forward and backward substitution with a unit lower and an upper triangle, many right sides."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 84, "medium": 270, "large": 580}


def solve(lu, b):
    n = len(lu)
    columns = len(b[0])
    # Ly = b, the diagonal of L is one
    for i in range(n):
        for j in range(i):
            factor = lu[i][j]
            for c in range(columns):
                b[i][c] -= factor * b[j][c]
    # Ux = y
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            factor = lu[i][j]
            for c in range(columns):
                b[i][c] -= factor * b[j][c]
        for c in range(columns):
            b[i][c] /= lu[i][i]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(3)
    lu = rng.uniform(-0.5, 0.5, (n, n)) / n + 2.0 * np.eye(n)
    b = rng.uniform(0.5, 1.5, (n, n // 5 + 1))
    if options.form == "list":
        lu, b = lu.tolist(), b.tolist()

    start = time.perf_counter()
    solve(lu, b)
    seconds = time.perf_counter() - start

    flat = [float(value) for row in b for value in row]
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
