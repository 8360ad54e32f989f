"""Bilinear resize of a three-channel image; rows of the target in parallel."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    source = np.random.default_rng(29).random((size, size, 3)) * 255.0
    return source, np.zeros((size * 5 // 2, size * 5 // 2, 3))


@njit(cache=False)
def resize_row(source, target, y):
    height, width, channels = source.shape
    new_height, new_width = target.shape[0], target.shape[1]
    x_scale = (width - 1) / (new_width - 1)
    fy = y * ((height - 1) / (new_height - 1))
    y0 = int(fy)
    y1 = min(y0 + 1, height - 1)
    wy = fy - y0
    for x in range(new_width):
        fx = x * x_scale
        x0 = int(fx)
        x1 = min(x0 + 1, width - 1)
        wx = fx - x0
        for c in range(channels):
            top = source[y0, x0, c] * (1.0 - wx) + source[y0, x1, c] * wx
            bottom = source[y1, x0, c] * (1.0 - wx) + source[y1, x1, c] * wx
            target[y, x, c] = top * (1.0 - wy) + bottom * wy


@njit(cache=False)
def serial(source, target):
    for y in range(len(target)):
        resize_row(source, target, y)


@njit(cache=False, parallel=True)
def parallel(source, target):
    for y in prange(len(target)):
        resize_row(source, target, y)


def checksum(args, result):
    flat = args[1].ravel().tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
