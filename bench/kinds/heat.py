"""Steps of the heat equation on an array."""

import argparse
import time

import numpy as np


def steps(u, count):
    rows, columns = u.shape
    for _ in range(count):
        new = u.copy()
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                new[i, j] = u[i, j] + 0.1 * (
                    u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
                )
        u = new
    return u


parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=60)
n = parser.parse_args().size

u = np.random.default_rng(5).random((n + 2, n + 2))
begun = time.perf_counter()
u = steps(u, 8)
seconds = time.perf_counter() - begun
print("checksum", repr(float(u.sum())))
print("kernel_seconds", seconds)
