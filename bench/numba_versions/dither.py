"""Floyd-Steinberg dithering in a serpentine scan; each pixel needs the one before it."""

import math

import numpy as np
from numba import njit


def setup(size):
    ramp = np.linspace(0.0, 1.0, size)
    noise = np.random.default_rng(37).random((size, size))
    return (0.8 * np.outer(ramp, ramp) + 0.2 * noise,)


@njit(cache=False)
def serial(image):
    height, width = image.shape
    white = 0
    for y in range(height):
        if y % 2 == 0:
            first, step = 0, 1
        else:
            first, step = width - 1, -1
        x = first
        for _ in range(width):
            old = image[y, x]
            new = 1.0 if old > 0.5 else 0.0
            image[y, x] = new
            if old > 0.5:
                white += 1
            error = old - new
            ahead = x + step
            behind = x - step
            if 0 <= ahead < width:
                image[y, ahead] += error * 0.4375
            if y + 1 < height:
                image[y + 1, x] += error * 0.3125
                if 0 <= ahead < width:
                    image[y + 1, ahead] += error * 0.0625
                if 0 <= behind < width:
                    image[y + 1, behind] += error * 0.1875
            x = ahead
    return white


parallel = None


def checksum(args, result):
    rows = args[0].tolist()
    total = math.fsum((k % 127 + 1) * math.fsum(row) for k, row in enumerate(rows))
    return total + (math.fsum(math.fsum(row[1::3]) for row in rows) + result)
