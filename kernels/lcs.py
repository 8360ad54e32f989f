"""Longest common subsequence of two byte strings, the full table and the way back through it."""

import argparse
import time

import numpy as np

SIZES = {"small": 270, "medium": 2_000, "large": 6_300}


def fill(a, b, table):
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])


def fill_lists(a, b, table):
    for i, x in enumerate(a):
        above = table[i]
        row = table[i + 1]
        for j, y in enumerate(b):
            if x == y:
                row[j + 1] = above[j] + 1
            else:
                row[j + 1] = above[j + 1] if above[j + 1] > row[j] else row[j]


def trace(a, b, table):
    i, j = len(a), len(b)
    signature = 0
    while i > 0 and j > 0:
        if a[i - 1] == b[j - 1]:
            i -= 1
            j -= 1
            signature = (signature * 131 + i * 7 + j) % 1_000_000_007
        elif table[i - 1][j] >= table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return signature


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(4)
    letters = np.frombuffer(b"ACGT", dtype=np.uint8)
    a = letters[rng.integers(0, 4, n)].tobytes()
    b = letters[rng.integers(0, 4, n + 7)].tobytes()
    if options.form == "list":
        table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
        start = time.perf_counter()
        fill_lists(a, b, table)
        signature = trace(a, b, table)
        seconds = time.perf_counter() - start
    else:
        table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int32)
        start = time.perf_counter()
        fill(a, b, table)
        signature = trace(a, b, table)
        seconds = time.perf_counter() - start

    checksum = signature + sum((i % 89 + 1) * int(row[-1]) for i, row in enumerate(table))
    checksum += sum(int(table[i][i]) for i in range(len(a)))
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
