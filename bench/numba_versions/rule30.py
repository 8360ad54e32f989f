"""Elementary cellular automaton, rule 30; the parallel form splits each row into blocks."""

import numpy as np
from numba import get_num_threads, njit, prange


def setup(size):
    history = np.zeros((size // 2, size), dtype=np.bool_)
    history[0, size // 2] = True
    return (history,)


@njit(cache=False)
def evolve(now, following, low, high):
    for x in range(low, high):
        following[x] = now[x - 1] != (now[x] | now[x + 1])


@njit(cache=False)
def serial(history):
    generations, width = history.shape
    for t in range(generations - 1):
        evolve(history[t], history[t + 1], 1, width - 1)


@njit(cache=False, parallel=True)
def parallel(history):
    generations, width = history.shape
    blocks = get_num_threads()
    inner = width - 2
    for t in range(generations - 1):
        for b in prange(blocks):
            low = 1 + inner * b // blocks
            evolve(history[t], history[t + 1], low, 1 + inner * (b + 1) // blocks)


def checksum(args, result):
    history = args[0]
    generations, width = history.shape
    column_weight = np.arange(width) % 251 + 1
    row_weight = np.arange(generations) % 241 + 1
    return int((history @ column_weight * row_weight).sum())
