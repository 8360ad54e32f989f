"""Implicit heat flow by the Thomas algorithm; the parallel form gives each thread whole rods."""

import math

import numpy as np
from numba import njit, prange

STEPS = 12


def setup(size):
    rods = np.random.default_rng(77).uniform(0.0, 50.0, (size, 3 * size))
    return rods, np.zeros(3 * size), np.zeros(3 * size), 0.7


@njit(cache=False)
def advance_rod(temperature, c, d, lam):
    n = len(temperature)
    diagonal = 1.0 + 2.0 * lam
    c[0] = 0.0
    d[0] = temperature[0]
    for i in range(1, n - 1):
        m = diagonal + lam * c[i - 1]
        c[i] = -lam / m
        d[i] = (temperature[i] + lam * d[i - 1]) / m
    for i in range(n - 2, 0, -1):
        temperature[i] = d[i] - c[i] * temperature[i + 1]
    temperature[-1] += 0.5 * (temperature[-2] - temperature[-1])


@njit(cache=False)
def serial(rods, c, d, lam):
    for _ in range(STEPS):
        for r in range(len(rods)):
            advance_rod(rods[r], c, d, lam)


@njit(cache=False, parallel=True)
def parallel(rods, c, d, lam):
    for r in prange(len(rods)):
        own_c = np.empty(rods.shape[1])
        own_d = np.empty(rods.shape[1])
        for _ in range(STEPS):
            advance_rod(rods[r], own_c, own_d, lam)


def checksum(args, result):
    flat = args[0].ravel().tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
