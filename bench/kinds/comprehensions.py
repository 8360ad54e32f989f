"""Comprehensions and sums of generator expressions."""

import argparse
import time


def primes(n):
    return [p for p in range(2, n) if all(p % d for d in range(2, int(p**0.5) + 1))]


def squares(xs):
    mean = sum(xs) / len(xs)
    return sum((x - mean) ** 2 for x in xs)


def table(n):
    return [[(i * j) % 7 for j in range(n)] for i in range(n)]


parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=1000)
n = parser.parse_args().size

begun = time.perf_counter()
found = primes(n)
spread = squares(found)
rows = table(int(n**0.5))
seconds = time.perf_counter() - begun
print("checksum", len(found), repr(spread), sum(map(sum, rows)))
print("kernel_seconds", seconds)
