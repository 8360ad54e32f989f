"""Electromagnetic field by finite differences in time; rows of each half step in parallel."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    steps = size // 2
    permittivity = np.ones((size, size))
    permittivity[size // 2 :, size // 3 : 2 * size // 3] = 4.0
    pulse = np.array([math.exp(-(((t - 12.0) / 5.0) ** 2)) for t in range(steps)])
    ez = np.zeros((size, size))
    return ez, np.zeros((size, size - 1)), np.zeros((size - 1, size)), permittivity, pulse


@njit(cache=False)
def serial(ez, hx, hy, permittivity, pulse):
    n = len(ez)
    for t in range(len(pulse)):
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


@njit(cache=False, parallel=True)
def parallel(ez, hx, hy, permittivity, pulse):
    n = len(ez)
    for t in range(len(pulse)):
        for i in prange(n):
            for j in range(n - 1):
                hx[i, j] -= 0.5 * (ez[i, j + 1] - ez[i, j])
            if i < n - 1:
                for j in range(n):
                    hy[i, j] += 0.5 * (ez[i + 1, j] - ez[i, j])
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                curl = hy[i, j] - hy[i - 1, j] - hx[i, j] + hx[i, j - 1]
                ez[i, j] += 0.5 * curl / permittivity[i, j]
        ez[n // 4, n // 4] += pulse[t]


def checksum(args, result):
    flat = [abs(v) for field in args[:3] for v in field.ravel().tolist()]
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
