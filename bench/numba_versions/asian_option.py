"""Asian option by Monte Carlo with a 64-bit generator for each path; paths in parallel."""

import math

import numpy as np
from numba import njit, prange

STEPS = 24
MULTIPLIER = np.uint64(6364136223846793005)
INCREMENT = np.uint64(1442695040888963407)
SPREADER = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(11)


def setup(size):
    dt = 1.0 / STEPS
    volatility = 0.3
    drift = (0.02 - 0.5 * volatility**2) * dt
    return np.zeros(size), 100.0, 98.0, drift, volatility * math.sqrt(dt)


@njit(cache=False)
def unit(state):
    return (np.int64(state >> SHIFT) + 1) * (1.0 / 9007199254740993.0)


@njit(cache=False)
def payoff(path, spot, strike, drift, spread):
    state = np.uint64(path + 1) * SPREADER * MULTIPLIER + INCREMENT
    price = spot
    total = 0.0
    for _ in range(STEPS // 2):
        state = state * MULTIPLIER + INCREMENT
        radius = math.sqrt(-2.0 * math.log(unit(state)))
        state = state * MULTIPLIER + INCREMENT
        angle = 2.0 * math.pi * unit(state)
        price *= math.exp(drift + spread * radius * math.cos(angle))
        total += price
        price *= math.exp(drift + spread * radius * math.sin(angle))
        total += price
    return max(total / STEPS - strike, 0.0)


@njit(cache=False)
def serial(payoffs, spot, strike, drift, spread):
    for path in range(len(payoffs)):
        payoffs[path] = payoff(path, spot, strike, drift, spread)


@njit(cache=False, parallel=True)
def parallel(payoffs, spot, strike, drift, spread):
    for path in prange(len(payoffs)):
        payoffs[path] = payoff(path, spot, strike, drift, spread)


def checksum(args, result):
    payoffs = args[0].tolist()
    return math.fsum(payoffs) + math.fsum(payoffs[1::2]) + math.fsum(payoffs[2::3])
