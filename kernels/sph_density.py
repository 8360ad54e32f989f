"""Density and pressure of fluid particles: smoothing kernel over all pairs within a cutoff."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 420, "medium": 3_100, "large": 9_800}


def poly6(r2, h2):
    d = h2 - r2
    return d * d * d


def density(px, py, mass, rho, pressure, h, stiffness, rest):
    h2 = h * h
    norm = 4.0 / (math.pi * h2**4)
    count = len(px)
    neighbours = 0
    for i in range(count):
        xi, yi = px[i], py[i]
        acc = 0.0
        for j in range(count):
            dx = xi - px[j]
            if not -h < dx < h:
                continue
            dy = yi - py[j]
            r2 = dx * dx + dy * dy
            if r2 < h2:
                acc += mass * poly6(r2, h2)
                neighbours += 1
        rho[i] = norm * acc
        pressure[i] = stiffness * max(rho[i] - rest, 0.0)
    return neighbours


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(64)
    px, py = rng.random(n), rng.random(n)
    rho, pressure = np.zeros(n), np.zeros(n)
    if options.form == "list":
        px, py, rho, pressure = px.tolist(), py.tolist(), [0.0] * n, [0.0] * n

    start = time.perf_counter()
    neighbours = density(px, py, 1.0 / n, rho, pressure, 0.1, 2.5, 0.9)
    seconds = time.perf_counter() - start

    flat = [float(v) for v in rho] + [float(v) for v in pressure]
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3]) + neighbours
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
