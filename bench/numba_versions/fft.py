"""Radix-two Fourier transform of many signals in place; the signals in parallel."""

import cmath
import math

import numpy as np
from numba import njit, prange

LENGTH = 1024


def setup(size):
    rng = np.random.default_rng(1805)
    signals = rng.random((size, LENGTH)) + 1j * rng.random((size, LENGTH))
    twiddle = [cmath.exp(-2j * math.pi * k / LENGTH) for k in range(LENGTH // 2)]
    return signals, np.array(twiddle)


@njit(cache=False)
def transform(x, twiddle):
    n = len(x)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            x[i], x[j] = x[j], x[i]
    half = 1
    while half < n:
        stride = n // (2 * half)
        for begin in range(0, n, 2 * half):
            for k in range(half):
                u = x[begin + k]
                v = x[begin + k + half] * twiddle[k * stride]
                x[begin + k], x[begin + k + half] = u + v, u - v
        half *= 2


@njit(cache=False)
def serial(signals, twiddle):
    for s in range(len(signals)):
        transform(signals[s], twiddle)


@njit(cache=False, parallel=True)
def parallel(signals, twiddle):
    for s in prange(len(signals)):
        transform(signals[s], twiddle)


def checksum(args, result):
    flat = [abs(z) for z in args[0].ravel().tolist()]
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
