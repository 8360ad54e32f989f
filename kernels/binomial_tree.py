"""American put options on a binomial tree, rolled back in place for a ladder of strikes."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 150, "medium": 1_500, "large": 4_700}
STRIKES = (80.0, 90.0, 100.0, 110.0)


def price_put(values, spots, strike, up_weight, down_weight, up):
    steps = len(values) - 1
    for i in range(steps + 1):
        values[i] = max(strike - spots[i], 0.0)
    for level in range(steps - 1, -1, -1):
        for i in range(level + 1):
            # the stock at this node is the one at the leaf i, moved up by (steps - level)
            spots[i] *= up
            held = up_weight * values[i + 1] + down_weight * values[i]
            exercised = strike - spots[i]
            values[i] = held if held > exercised else exercised
    return values[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    dt = 1.0 / n
    up = math.exp(0.3 * math.sqrt(dt))
    growth = math.exp(0.05 * dt)
    p = (growth - 1.0 / up) / (up - 1.0 / up)
    leaves = [100.0 * up ** (2 * i - n) for i in range(n + 1)]
    prices = []

    seconds = 0.0
    for strike in STRIKES:
        if options.form == "list":
            spots, values = list(leaves), [0.0] * (n + 1)
        else:
            spots, values = np.array(leaves), np.zeros(n + 1)
        start = time.perf_counter()
        value = price_put(values, spots, strike, p / growth, (1.0 - p) / growth, up)
        seconds += time.perf_counter() - start
        prices.append(float(value))

    checksum = math.fsum((k + 1) * value for k, value in enumerate(prices))
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
