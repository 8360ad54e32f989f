"""0/1 knapsack over capacities; the parallel form keeps two rows and splits the capacities."""

import numpy as np
from numba import njit, prange


def setup(size):
    rng = np.random.default_rng(17)
    weights = rng.integers(20, 400, size)
    values = weights * 3 + rng.integers(1, 200, size)
    best = np.zeros(120 * size + 1, dtype=np.int64)
    return weights, values, best, np.zeros_like(best)


@njit(cache=False)
def serial(weights, values, best, taken):
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


@njit(cache=False, parallel=True)
def consider(weight, value, old, new, taken):
    for c in prange(len(old)):
        kept = old[c]
        if c >= weight and old[c - weight] + value > kept:
            kept = old[c - weight] + value
            taken[c] += 1
        new[c] = kept


@njit(cache=False)
def parallel(weights, values, best, taken):
    old = best
    new = np.empty_like(best)
    for item in range(len(weights)):
        consider(weights[item], values[item], old, new, taken)
        old, new = new, old
    best[:] = old
    return best[-1]


def checksum(args, result):
    _, _, best, taken = args
    total = int(result) + sum((c % 19 + 1) * b for c, b in enumerate(best.tolist()))
    return total + sum(taken.tolist())
