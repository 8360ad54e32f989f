"""Explicit heat conduction in a cube, two buffers; planes of one step in parallel."""

import math

import numpy as np
from numba import njit, prange

STEPS = 10


def setup(size):
    axis = np.arange(size)
    i, j, k = np.meshgrid(axis, axis, axis, indexing="ij")
    u = 20.0 + ((3 * i + 5 * j + 7 * k) % 13) * 1.25
    return u, u.copy(), 0.125


@njit(cache=False)
def plane(u, v, r, i):
    _, ny, nz = u.shape
    for j in range(1, ny - 1):
        for k in range(1, nz - 1):
            centre = u[i, j, k]
            v[i, j, k] = (
                centre
                + r * (u[i + 1, j, k] - 2.0 * centre + u[i - 1, j, k])
                + r * (u[i, j + 1, k] - 2.0 * centre + u[i, j - 1, k])
                + r * (u[i, j, k + 1] - 2.0 * centre + u[i, j, k - 1])
            )


@njit(cache=False)
def serial(u, v, r):
    for _ in range(STEPS):
        for i in range(1, len(u) - 1):
            plane(u, v, r, i)
        u, v = v, u
    return u


@njit(cache=False, parallel=True)
def step(u, v, r):
    for i in prange(1, len(u) - 1):
        plane(u, v, r, i)


@njit(cache=False)
def parallel(u, v, r):
    for _ in range(STEPS):
        step(u, v, r)
        u, v = v, u
    return u


def checksum(args, result):
    flat = result.ravel().tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
