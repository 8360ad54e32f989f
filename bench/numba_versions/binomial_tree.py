"""American puts on a binomial tree; the parallel form prices the strikes side by side."""

import math

import numpy as np
from numba import njit, prange

STRIKES = np.array([80.0, 90.0, 100.0, 110.0])


def setup(size):
    dt = 1.0 / size
    up = math.exp(0.3 * math.sqrt(dt))
    growth = math.exp(0.05 * dt)
    p = (growth - 1.0 / up) / (up - 1.0 / up)
    leaves = np.array([100.0 * up ** (2 * i - size) for i in range(size + 1)])
    return leaves, STRIKES, p / growth, (1.0 - p) / growth, up


@njit(cache=False)
def price_put(leaves, strike, up_weight, down_weight, up):
    steps = len(leaves) - 1
    spots = leaves.copy()
    values = np.empty(steps + 1)
    for i in range(steps + 1):
        values[i] = max(strike - spots[i], 0.0)
    for level in range(steps - 1, -1, -1):
        for i in range(level + 1):
            spots[i] *= up
            held = up_weight * values[i + 1] + down_weight * values[i]
            exercised = strike - spots[i]
            values[i] = held if held > exercised else exercised
    return values[0]


@njit(cache=False)
def serial(leaves, strikes, up_weight, down_weight, up):
    prices = np.zeros(len(strikes))
    for k in range(len(strikes)):
        prices[k] = price_put(leaves, strikes[k], up_weight, down_weight, up)
    return prices


@njit(cache=False, parallel=True)
def parallel(leaves, strikes, up_weight, down_weight, up):
    prices = np.zeros(len(strikes))
    for k in prange(len(strikes)):
        prices[k] = price_put(leaves, strikes[k], up_weight, down_weight, up)
    return prices


def checksum(args, result):
    return math.fsum((k + 1) * value for k, value in enumerate(result.tolist()))
