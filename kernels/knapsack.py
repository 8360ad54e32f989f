"""0/1 knapsack by dynamic programming over capacities, scanned downwards in one row."""

import argparse
import time

import numpy as np

SIZES = {"small": 34, "medium": 185, "large": 590}


def pack(weights, values, best, taken):
    capacity = len(best) - 1
    for item in range(len(weights)):
        weight = weights[item]
        value = values[item]
        for c in range(capacity, weight - 1, -1):
            candidate = best[c - weight] + value
            if candidate > best[c]:
                best[c] = candidate
                taken[c] += 1
    return best[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(17)
    weights = rng.integers(20, 400, n)
    values = weights * 3 + rng.integers(1, 200, n)
    best = np.zeros(120 * n + 1, dtype=np.int64)
    taken = np.zeros(120 * n + 1, dtype=np.int64)
    if options.form == "list":
        weights, values = weights.tolist(), values.tolist()
        best, taken = best.tolist(), taken.tolist()

    start = time.perf_counter()
    top = pack(weights, values, best, taken)
    seconds = time.perf_counter() - start

    checksum = int(top) + sum((c % 19 + 1) * int(b) for c, b in enumerate(best))
    checksum += sum(int(t) for t in taken)
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
