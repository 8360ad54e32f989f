"""Black-Scholes prices of European calls and puts; options in parallel."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    rng = np.random.default_rng(1973)
    spot = rng.uniform(50.0, 150.0, size)
    strike = rng.uniform(60.0, 140.0, size)
    maturity = rng.uniform(0.1, 3.0, size)
    return spot, strike, maturity, np.zeros(size), np.zeros(size), 0.03, 0.25


@njit(cache=False)
def normal_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


@njit(cache=False)
def price_one(s, k, t, rate, volatility):
    spread = volatility * math.sqrt(t)
    d1 = (math.log(s / k) + (rate + 0.5 * volatility**2) * t) / spread
    d2 = d1 - spread
    discounted = k * math.exp(-rate * t)
    call = s * normal_cdf(d1) - discounted * normal_cdf(d2)
    put = discounted * normal_cdf(-d2) - s * normal_cdf(-d1)
    return call, put


@njit(cache=False)
def serial(spot, strike, maturity, call, put, rate, volatility):
    for i in range(len(spot)):
        call[i], put[i] = price_one(spot[i], strike[i], maturity[i], rate, volatility)


@njit(cache=False, parallel=True)
def parallel(spot, strike, maturity, call, put, rate, volatility):
    for i in prange(len(spot)):
        c, p = price_one(spot[i], strike[i], maturity[i], rate, volatility)
        call[i] = c
        put[i] = p


def checksum(args, result):
    call, put = args[3].tolist(), args[4].tolist()
    total = math.fsum(call) + math.fsum(call[1::3])
    return total + (2.0 * math.fsum(put) + math.fsum(put[2::5]))
