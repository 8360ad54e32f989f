"""Metropolis sweeps of the Ising model; one generator in a fixed order leaves it serial."""

import math

import numpy as np
from numba import njit

SWEEPS = 40
MASK = np.uint64((1 << 48) - 1)
MULTIPLIER = np.uint64(0x5DEECE66D)
INCREMENT = np.uint64(11)


def setup(size):
    spins = np.where(np.random.default_rng(6).random((size, size)) < 0.5, -1, 1).astype(np.int8)
    accept = np.array([math.exp(-2.0 * cost / 2.4) for cost in range(5)])
    return spins, accept, SWEEPS, np.uint64(20240229)


@njit(cache=False)
def serial(spins, accept, sweeps, state):
    n = len(spins)
    flips = 0
    for _ in range(sweeps):
        for i in range(n):
            north = i - 1 if i > 0 else n - 1
            south = i + 1 if i + 1 < n else 0
            for j in range(n):
                west = j - 1 if j > 0 else n - 1
                east = j + 1 if j + 1 < n else 0
                s = spins[i, j]
                field = spins[north, j] + spins[south, j] + spins[i, west] + spins[i, east]
                cost = s * field
                state = (state * MULTIPLIER + INCREMENT) & MASK
                if cost <= 0 or np.int64(state) / 281474976710656.0 < accept[cost]:
                    spins[i, j] = -s
                    flips += 1
    return flips, state


parallel = None


def checksum(args, result):
    flips, state = result
    flat = args[0].ravel().tolist()
    return sum((k % 1013 + 1) * s for k, s in enumerate(flat)) + 1000003 * flips + int(state)
