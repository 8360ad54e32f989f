"""Gaussian blur of a single-precision image with clamped edges; rows in parallel."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    image = np.random.default_rng(21).random((size, size), dtype=np.float32)
    line = np.array([1, 4, 6, 4, 1], dtype=np.float32) / np.float32(16)
    return image, np.outer(line, line), np.zeros_like(image)


@njit(cache=False)
def convolve_row(image, mask, out, y):
    height, width = image.shape
    reach = mask.shape[0] // 2
    for x in range(width):
        acc = np.float32(0)
        for dy in range(-reach, reach + 1):
            yy = max(0, min(y + dy, height - 1))
            for dx in range(-reach, reach + 1):
                xx = max(0, min(x + dx, width - 1))
                acc += mask[dy + reach, dx + reach] * image[yy, xx]
        out[y, x] = acc


@njit(cache=False)
def serial(image, mask, out):
    for y in range(len(image)):
        convolve_row(image, mask, out, y)


@njit(cache=False, parallel=True)
def parallel(image, mask, out):
    for y in prange(len(image)):
        convolve_row(image, mask, out, y)


def checksum(args, result):
    flat = args[2].ravel().tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
