"""Two-dimensional electromagnetic field by finite differences in time, as a module-level script."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 36, "medium": 110, "large": 240}

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--size", default="small", help="small, medium, large or a number")
parser.add_argument("--form", default="ndarray", choices=["ndarray"])
options = parser.parse_args()
n = SIZES[options.size] if options.size in SIZES else int(options.size)

steps = n // 2
ez = np.zeros((n, n))
hx = np.zeros((n, n - 1))
hy = np.zeros((n - 1, n))
permittivity = np.ones((n, n))
permittivity[n // 2 :, n // 3 : 2 * n // 3] = 4.0
pulse = [math.exp(-(((t - 12.0) / 5.0) ** 2)) for t in range(steps)]

start = time.perf_counter()
for t in range(steps):
    for i in range(n):
        for j in range(n - 1):
            hx[i, j] -= 0.5 * (ez[i, j + 1] - ez[i, j])
    for i in range(n - 1):
        for j in range(n):
            hy[i, j] += 0.5 * (ez[i + 1, j] - ez[i, j])
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            curl = hy[i, j] - hy[i - 1, j] - hx[i, j] + hx[i, j - 1]
            ez[i, j] += 0.5 * curl / permittivity[i, j]
    ez[n // 4, n // 4] += pulse[t]
seconds = time.perf_counter() - start

flat = [abs(v) for v in ez.ravel().tolist() + hx.ravel().tolist() + hy.ravel().tolist()]
checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
print("checksum", repr(checksum))
print("kernel_seconds", seconds)
