"""Escape times of a square of the plane."""

import argparse
import time


def times(n, limit):
    total = 0
    for row in range(n):
        y = -1.25 + 2.5 * row / n
        for column in range(n):
            x = -2.0 + 2.5 * column / n
            z, c, k = 0j, complex(x, y), 0
            while abs(z) <= 2.0 and k < limit:
                z = z * z + c
                k += 1
            total += k
    return total


parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=40)
n = parser.parse_args().size

begun = time.perf_counter()
found = times(n, 60)
seconds = time.perf_counter() - begun
print("checksum", found)
print("kernel_seconds", seconds)
