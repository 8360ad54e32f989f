"""Asian option by Monte Carlo: each path has its own 64-bit generator on plain Python ints."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 2_400, "medium": 72_000, "large": 720_000}
STEPS = 24
MASK = 0xFFFFFFFFFFFFFFFF


def next_state(state):
    return (state * 6364136223846793005 + 1442695040888963407) & MASK


def unit(state):
    return ((state >> 11) + 1) * (1.0 / 9007199254740993.0)


def simulate(payoffs, spot, strike, drift, spread):
    for path in range(len(payoffs)):
        state = next_state((path + 1) * 0x9E3779B97F4A7C15 & MASK)
        price = spot
        total = 0.0
        for _ in range(STEPS // 2):
            state = next_state(state)
            radius = math.sqrt(-2.0 * math.log(unit(state)))
            state = next_state(state)
            angle = 2.0 * math.pi * unit(state)
            price *= math.exp(drift + spread * radius * math.cos(angle))
            total += price
            price *= math.exp(drift + spread * radius * math.sin(angle))
            total += price
        payoffs[path] = max(total / STEPS - strike, 0.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    payoffs = [0.0] * n if options.form == "list" else np.zeros(n)
    dt = 1.0 / STEPS
    volatility = 0.3

    start = time.perf_counter()
    simulate(payoffs, 100.0, 98.0, (0.02 - 0.5 * volatility**2) * dt, volatility * math.sqrt(dt))
    seconds = time.perf_counter() - start

    checksum = math.fsum(payoffs) + math.fsum(payoffs[1::2]) + math.fsum(payoffs[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
