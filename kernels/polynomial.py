"""A polynomial of degree sixteen by Horner's rule at many points, written at module level."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 8_100, "medium": 430_000, "large": 4_300_000}

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--size", default="small", help="small, medium, large or a number")
parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
options = parser.parse_args()
n = SIZES[options.size] if options.size in SIZES else int(options.size)

xs = np.linspace(-1.25, 1.25, n)
ys = np.zeros(n)
coefficients = np.array([(-1.0) ** k / (k + 1.0) + 0.5 for k in range(17)])
if options.form == "list":
    xs, ys, coefficients = xs.tolist(), ys.tolist(), coefficients.tolist()

start = time.perf_counter()
for i, x in enumerate(xs):
    value = 0.0
    for c in coefficients:
        value = value * x + c
    ys[i] = value
seconds = time.perf_counter() - start

checksum = math.fsum(ys) + math.fsum(ys[1::2]) + math.fsum(ys[2::3])
print("checksum", repr(checksum))
print("kernel_seconds", seconds)
