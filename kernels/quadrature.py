"""Simpson's rule for a damped oscillation, one integral for each pair of parameters."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 10, "medium": 73, "large": 230}
PANELS = 1_000


def integrand(x, decay, pitch):
    return math.exp(-decay * x) * math.cos(pitch * x * x) / (1.0 + x)


def simpson(low, high, decay, pitch):
    h = (high - low) / PANELS
    total = integrand(low, decay, pitch) + integrand(high, decay, pitch)
    for i in range(1, PANELS, 2):
        total += 4.0 * integrand(low + i * h, decay, pitch)
    for i in range(2, PANELS, 2):
        total += 2.0 * integrand(low + i * h, decay, pitch)
    return total * h / 3.0


def tabulate(decays, pitches, table):
    for i, decay in enumerate(decays):
        for j, pitch in enumerate(pitches):
            table[i, j] = simpson(0.0, 4.0, decay, pitch)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    decays = np.linspace(0.1, 2.0, n)
    pitches = np.linspace(0.0, 3.0, n)
    table = np.zeros((n, n))

    start = time.perf_counter()
    tabulate(decays, pitches, table)
    seconds = time.perf_counter() - start

    flat = table.ravel().tolist()
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
