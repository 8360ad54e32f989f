"""Poisson equation by over-relaxation in place; the order of the sweep leaves it serial."""

import math

import numpy as np
from numba import njit


def setup(size):
    h = 1.0 / (size - 1)
    x = np.linspace(0.0, 1.0, size)
    u = np.zeros((size, size))
    u[0, :] = 1.0 + x
    u[-1, :] = 2.0 - x * x
    f = -8.0 * np.outer(x * (1.0 - x), 1.0 + x)
    return u, f, h, 1.5, 1e-7, max(1, size // 2)


@njit(cache=False)
def serial(u, f, h, omega, tolerance, max_sweeps):
    n = len(u)
    sweeps = 0
    change = tolerance + 1.0
    while change > tolerance and sweeps < max_sweeps:
        change = 0.0
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                old = u[i, j]
                gauss = 0.25 * (
                    u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - h * h * f[i, j]
                )
                new = old + omega * (gauss - old)
                u[i, j] = new
                change = max(change, abs(new - old))
        sweeps += 1
    return sweeps, change


parallel = None


def checksum(args, result):
    sweeps, change = result
    flat = args[0].ravel().tolist()
    total = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    return total + (sweeps + change)
