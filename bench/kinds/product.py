"""A matrix product on arrays, element by element."""

import argparse
import time

import numpy as np


def multiply(a, b, c):
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i, k] * b[k, j]
            c[i, j] = s


parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=60)
n = parser.parse_args().size

rng = np.random.default_rng(3)
a, b, c = rng.random((n, n)), rng.random((n, n)), np.zeros((n, n))
begun = time.perf_counter()
multiply(a, b, c)
seconds = time.perf_counter() - begun
print("checksum", repr(float(c.sum())))
print("kernel_seconds", seconds)
