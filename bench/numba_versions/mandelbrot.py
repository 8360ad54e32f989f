"""Escape times of the Mandelbrot set; rows in parallel."""

import numpy as np
from numba import njit, prange

LIMIT = 200


def setup(size):
    return (np.zeros((size, size), dtype=np.int32),)


@njit(cache=False)
def escape_row(counts, py):
    height, width = counts.shape
    ci = -1.25 + 2.5 * py / height
    for px in range(width):
        cr = -2.0 + 2.75 * px / width
        zr = zi = 0.0
        count = 0
        while zr * zr + zi * zi <= 4.0 and count < LIMIT:
            zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
            count += 1
        counts[py, px] = count


@njit(cache=False)
def serial(counts):
    for py in range(len(counts)):
        escape_row(counts, py)


@njit(cache=False, parallel=True)
def parallel(counts):
    for py in prange(len(counts)):
        escape_row(counts, py)


def checksum(args, result):
    return sum((k % 1019 + 1) * c for k, c in enumerate(args[0].ravel().tolist()))
