"""Simpson's rule for a grid of parameters; rows of the table in parallel."""

import math

import numpy as np
from numba import njit, prange

PANELS = 1_000


def setup(size):
    return np.linspace(0.1, 2.0, size), np.linspace(0.0, 3.0, size), np.zeros((size, size))


@njit(cache=False)
def integrand(x, decay, pitch):
    return math.exp(-decay * x) * math.cos(pitch * x * x) / (1.0 + x)


@njit(cache=False)
def simpson(low, high, decay, pitch):
    h = (high - low) / PANELS
    total = integrand(low, decay, pitch) + integrand(high, decay, pitch)
    for i in range(1, PANELS, 2):
        total += 4.0 * integrand(low + i * h, decay, pitch)
    for i in range(2, PANELS, 2):
        total += 2.0 * integrand(low + i * h, decay, pitch)
    return total * h / 3.0


@njit(cache=False)
def serial(decays, pitches, table):
    for i in range(len(decays)):
        for j in range(len(pitches)):
            table[i, j] = simpson(0.0, 4.0, decays[i], pitches[j])


@njit(cache=False, parallel=True)
def parallel(decays, pitches, table):
    for i in prange(len(decays)):
        for j in range(len(pitches)):
            table[i, j] = simpson(0.0, 4.0, decays[i], pitches[j])


def checksum(args, result):
    flat = args[2].ravel().tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
