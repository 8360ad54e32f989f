"""Poisson equation by successive over-relaxation, sweeping in place until the change is small."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 37, "medium": 135, "large": 290}


def solve(u, f, h, omega, tolerance, max_sweeps):
    n = len(u)
    sweeps = 0
    change = tolerance + 1.0
    while change > tolerance and sweeps < max_sweeps:
        change = 0.0
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                old = u[i][j]
                gauss = 0.25 * (
                    u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - h * h * f[i][j]
                )
                new = old + omega * (gauss - old)
                u[i][j] = new
                change = max(change, abs(new - old))
        sweeps += 1
    return sweeps, change


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    h = 1.0 / (n - 1)
    x = np.linspace(0.0, 1.0, n)
    u = np.zeros((n, n))
    u[0, :] = 1.0 + x
    u[-1, :] = 2.0 - x * x
    f = -8.0 * np.outer(x * (1.0 - x), 1.0 + x)
    if options.form == "list":
        u, f = u.tolist(), f.tolist()

    start = time.perf_counter()
    sweeps, change = solve(u, f, h, 1.5, 1e-7, max(1, n // 2))
    seconds = time.perf_counter() - start

    flat = [float(value) for row in u for value in row]
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    checksum += sweeps + float(change)
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
