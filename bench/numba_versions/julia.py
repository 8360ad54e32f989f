"""Smooth-shaded Julia set on a grid of complex numbers; rows in parallel."""

import math

import numpy as np
from numba import njit, prange

LIMIT = 150


def setup(size):
    axis = np.linspace(-1.5, 1.5, size)
    grid = axis[None, :] + 1j * axis[:, None]
    return grid, np.empty((size, size)), complex(-0.8, 0.156)


@njit(cache=False)
def shade_row(grid, brightness, c, i):
    for j in range(grid.shape[1]):
        z = grid[i, j]
        shade = 0.0
        for step in range(LIMIT):
            size = z.real * z.real + z.imag * z.imag
            if size > 64.0:
                shade = step + 1.0 - math.log(0.5 * math.log(size)) / math.log(2.0)
                break
            z = z * z + c
        brightness[i, j] = shade
        grid[i, j] = z


@njit(cache=False)
def serial(grid, brightness, c):
    for i in range(len(grid)):
        shade_row(grid, brightness, c, i)


@njit(cache=False, parallel=True)
def parallel(grid, brightness, c):
    for i in prange(len(grid)):
        shade_row(grid, brightness, c, i)


def checksum(args, result):
    grid, brightness, _ = args
    flat = brightness.ravel().tolist()
    total = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    return total + math.fsum(abs(z) for z in grid.ravel().tolist())
