"""Bellman-Ford over arrays of edges; updates feed later ones of the round, so it is serial."""

import math

import numpy as np
from numba import njit


def setup(size):
    rng = np.random.default_rng(58)
    m = 8 * size
    source = rng.integers(0, size, m).astype(np.int32)
    hop = rng.integers(-size // 40, size // 40 + 2, m)
    target = ((source + hop) % size).astype(np.int32)
    weight = rng.uniform(1.0, 10.0, m)
    dist = np.full(size, np.inf)
    dist[0] = 0.0
    return source, target, weight, dist


@njit(cache=False)
def serial(source, target, weight, dist):
    last = len(dist) - 1
    rounds = 0
    changed = True
    while changed and rounds < last:
        rounds += 1
        changed = False
        for e in range(len(source)):
            candidate = dist[source[e]] + weight[e]
            if candidate < dist[target[e]]:
                dist[target[e]] = candidate
                changed = True
    if changed:
        for e in range(len(source)):
            if dist[source[e]] + weight[e] < dist[target[e]]:
                return -rounds
    return rounds


parallel = None


def checksum(args, result):
    reached = [d if d < math.inf else -1.0 for d in args[3].tolist()]
    total = math.fsum(reached) + math.fsum(reached[1::2]) + math.fsum(reached[2::3])
    return total + result
