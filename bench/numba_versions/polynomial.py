"""A polynomial of degree sixteen by Horner's rule at many points; points in parallel."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    coefficients = np.array([(-1.0) ** k / (k + 1.0) + 0.5 for k in range(17)])
    return np.linspace(-1.25, 1.25, size), np.zeros(size), coefficients


@njit(cache=False)
def serial(xs, ys, coefficients):
    for i in range(len(xs)):
        x = xs[i]
        value = 0.0
        for k in range(len(coefficients)):
            value = value * x + coefficients[k]
        ys[i] = value


@njit(cache=False, parallel=True)
def parallel(xs, ys, coefficients):
    for i in prange(len(xs)):
        x = xs[i]
        value = 0.0
        for k in range(len(coefficients)):
            value = value * x + coefficients[k]
        ys[i] = value


def checksum(args, result):
    flat = args[1].tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
