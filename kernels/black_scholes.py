"""Black-Scholes prices of European calls and puts, one option at a time, with the math module."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 18_000, "medium": 960_000, "large": 9_600_000}


def normal_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def price(spot, strike, maturity, call, put, rate, volatility):
    for i, (s, k, t) in enumerate(zip(spot, strike, maturity)):
        spread = volatility * math.sqrt(t)
        d1 = (math.log(s / k) + (rate + 0.5 * volatility**2) * t) / spread
        d2 = d1 - spread
        discounted = k * math.exp(-rate * t)
        call[i] = s * normal_cdf(d1) - discounted * normal_cdf(d2)
        put[i] = discounted * normal_cdf(-d2) - s * normal_cdf(-d1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(1973)
    spot = rng.uniform(50.0, 150.0, n)
    strike = rng.uniform(60.0, 140.0, n)
    maturity = rng.uniform(0.1, 3.0, n)
    call = np.zeros(n)
    put = np.zeros(n)
    if options.form == "list":
        spot, strike, maturity = spot.tolist(), strike.tolist(), maturity.tolist()
        call, put = [0.0] * n, [0.0] * n

    start = time.perf_counter()
    price(spot, strike, maturity, call, put, 0.03, 0.25)
    seconds = time.perf_counter() - start

    checksum = math.fsum(call) + math.fsum(call[1::3])
    checksum += 2.0 * math.fsum(put) + math.fsum(put[2::5])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
