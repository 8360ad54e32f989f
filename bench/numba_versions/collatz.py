"""Length and summit of every Collatz sequence up to a limit; the starts in parallel."""

import numpy as np
from numba import njit, prange


def setup(size):
    return np.zeros(size, dtype=np.int16), np.zeros(size, dtype=np.int64)


@njit(cache=False)
def follow(start):
    x = start
    top = x
    steps = 0
    while x != 1:
        if x % 2 == 0:
            x >>= 1
        else:
            x = 3 * x + 1
            if x > top:
                top = x
        steps += 1
    return steps, top


@njit(cache=False)
def serial(lengths, summits):
    for start in range(1, len(lengths)):
        lengths[start], summits[start] = follow(start)


@njit(cache=False, parallel=True)
def parallel(lengths, summits):
    for start in prange(1, len(lengths)):
        steps, top = follow(np.int64(start))
        lengths[start] = steps
        summits[start] = top


def checksum(args, result):
    lengths, summits = args[0].tolist(), args[1].tolist()
    return sum(lengths) + 5 * sum(lengths[1::3]) + sum(summits) + sum(summits[2::5])
