"""Implicit heat flow in many separate rods: the Thomas algorithm for each rod and time step."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 39, "medium": 260, "large": 820}
STEPS = 12


def advance(rods, c, d, lam, steps):
    for _ in range(steps):
        for temperature in rods:
            n = len(temperature)
            diagonal = 1.0 + 2.0 * lam
            c[0] = 0.0
            d[0] = temperature[0]
            for i in range(1, n - 1):
                m = diagonal + lam * c[i - 1]
                c[i] = -lam / m
                d[i] = (temperature[i] + lam * d[i - 1]) / m
            for i in reversed(range(1, n - 1)):
                temperature[i] = d[i] - c[i] * temperature[i + 1]
            temperature[-1] += 0.5 * (temperature[-2] - temperature[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rods = np.random.default_rng(77).uniform(0.0, 50.0, (n, 3 * n))
    c = np.zeros(3 * n)
    d = np.zeros(3 * n)
    if options.form == "list":
        rods, c, d = rods.tolist(), c.tolist(), d.tolist()

    start = time.perf_counter()
    advance(rods, c, d, 0.7, STEPS)
    seconds = time.perf_counter() - start

    flat = [float(value) for rod in rods for value in rod]
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
