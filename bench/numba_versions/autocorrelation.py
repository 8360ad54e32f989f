"""Circular autocorrelation of a signal; lags in parallel."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    t = np.arange(size)
    noise = np.random.default_rng(30).normal(0.0, 0.5, size)
    signal = np.sin(2.0 * np.pi * t / 50.0) + 0.3 * np.cos(2.0 * np.pi * t / 17.0) + noise
    return signal, np.zeros(size // 2)


@njit(cache=False)
def centre(signal):
    mean = 0.0
    for value in signal:
        mean += value
    mean /= len(signal)
    for i in range(len(signal)):
        signal[i] -= mean


@njit(cache=False)
def at_lag(signal, lag):
    n = len(signal)
    acc = 0.0
    for i in range(lag):
        acc += signal[i] * signal[n + i - lag]
    for i in range(lag, n):
        acc += signal[i] * signal[i - lag]
    return acc / n


@njit(cache=False)
def serial(signal, result):
    centre(signal)
    for lag in range(len(result)):
        result[lag] = at_lag(signal, lag)


@njit(cache=False, parallel=True)
def parallel(signal, result):
    centre(signal)
    for lag in prange(len(result)):
        result[lag] = at_lag(signal, lag)


def checksum(args, result):
    flat = np.abs(args[1]).tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
