"""Running median with a sorted window; the parallel form gives each thread its own stretch."""

import math

import numpy as np
from numba import get_num_threads, njit, prange

WINDOW = 15


def setup(size):
    t = np.arange(size)
    signal = np.sin(t / 200.0) + np.random.default_rng(55).laplace(2.0, 0.3, size)
    return signal, np.zeros(size - WINDOW + 1), np.zeros(WINDOW)


@njit(cache=False)
def smooth(signal, result, window):
    width = len(window)
    for i in range(width):
        value = signal[i]
        k = i
        while k > 0 and window[k - 1] > value:
            window[k] = window[k - 1]
            k -= 1
        window[k] = value
    result[0] = window[width // 2]
    for i in range(width, len(signal)):
        leaving = signal[i - width]
        entering = signal[i]
        k = 0
        while window[k] != leaving:
            k += 1
        while k + 1 < width and window[k + 1] < entering:
            window[k] = window[k + 1]
            k += 1
        while k > 0 and window[k - 1] > entering:
            window[k] = window[k - 1]
            k -= 1
        window[k] = entering
        result[i - width + 1] = window[width // 2]


@njit(cache=False)
def serial(signal, result, window):
    smooth(signal, result, window)


@njit(cache=False, parallel=True)
def parallel(signal, result, window):
    width = len(window)
    blocks = get_num_threads()
    count = len(result)
    for b in prange(blocks):
        begin = count * b // blocks
        end = count * (b + 1) // blocks
        smooth(signal[begin : end + width - 1], result[begin:end], np.zeros(width))


def checksum(args, result):
    flat = args[1].tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
