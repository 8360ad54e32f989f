"""Metropolis sweeps of the Ising model, random numbers from a 48-bit generator on plain ints."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 35, "medium": 175, "large": 550}
SWEEPS = 40
MASK = (1 << 48) - 1


def metropolis(spins, accept, sweeps, state):
    n = len(spins)
    flips = 0
    for _ in range(sweeps):
        for i in range(n):
            south = (i + 1) % n
            for j in range(n):
                s = spins[i][j]
                field = spins[i - 1][j] + spins[south][j] + spins[i][j - 1] + spins[i][(j + 1) % n]
                cost = s * field
                state = (state * 0x5DEECE66D + 11) & MASK
                if cost <= 0 or state / (MASK + 1) < accept[cost]:
                    spins[i][j] = -s
                    flips += 1
    return flips, state


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    spins = np.where(np.random.default_rng(6).random((n, n)) < 0.5, -1, 1).astype(np.int8)
    accept = [math.exp(-2.0 * cost / 2.4) for cost in range(5)]
    if options.form == "list":
        spins = spins.tolist()

    start = time.perf_counter()
    flips, state = metropolis(spins, accept, SWEEPS, 20240229)
    seconds = time.perf_counter() - start

    flat = [int(s) for row in spins for s in row]
    checksum = sum((k % 1013 + 1) * s for k, s in enumerate(flat)) + 1000003 * flips + state
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
