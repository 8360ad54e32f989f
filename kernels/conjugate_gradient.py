"""Conjugate gradients on a sparse Laplacian held in compressed rows, with a small matrix class."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 17, "medium": 80, "large": 170}


class CsrMatrix:
    """Compressed sparse rows: the entries of row i lie between first[i] and first[i + 1]."""

    def __init__(self, first, column, value):
        self.first = first
        self.column = column
        self.value = value
        self.n = len(first) - 1

    @classmethod
    def laplacian(cls, side):
        first, column, value = [0], [], []
        for y in range(side):
            for x in range(side):
                here = y * side + x
                for dy, dx in ((-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)):
                    if 0 <= y + dy < side and 0 <= x + dx < side:
                        column.append(here + dy * side + dx)
                        value.append(-1.0 if dy or dx else 4.0 + 0.01 * (here % 7))
                first.append(len(column))
        return cls(np.array(first), np.array(column, dtype=np.int32), np.array(value))

    def multiply(self, x, y):
        for i in range(self.n):
            total = 0.0
            for e in range(self.first[i], self.first[i + 1]):
                total += self.value[e] * x[self.column[e]]
            y[i] = total


def dot(a, b):
    total = 0.0
    for p, q in zip(a, b):
        total += p * q
    return total


def solve(matrix, b, x, tolerance, limit):
    n = matrix.n
    r = b.copy()
    p = b.copy()
    ap = np.zeros(n)
    rr = dot(r, r)
    count = 0
    while rr > tolerance and count < limit:
        matrix.multiply(p, ap)
        alpha = rr / dot(p, ap)
        for i in range(n):
            x[i] += alpha * p[i]
            r[i] -= alpha * ap[i]
        fresh = dot(r, r)
        beta = fresh / rr
        for i in range(n):
            p[i] = r[i] + beta * p[i]
        rr = fresh
        count += 1
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    matrix = CsrMatrix.laplacian(n)
    b = np.random.default_rng(1952).random(n * n)
    x = np.zeros(n * n)

    start = time.perf_counter()
    count = solve(matrix, b, x, 1e-18, 2 * n)
    seconds = time.perf_counter() - start

    flat = x.tolist()
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3]) + count
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
