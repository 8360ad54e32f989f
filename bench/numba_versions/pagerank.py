"""PageRank by power iteration, pages gathering in parallel."""

import math

import numpy as np
from numba import njit, prange

DAMPING = 0.85


def setup(size):
    rng = np.random.default_rng(1998)
    links = 10 * size
    destination = np.sort((size * rng.random(links) ** 2).astype(np.int64))
    origin = rng.integers(0, size - size // 20, links)
    first = np.searchsorted(destination, np.arange(size + 1))
    out_degree = np.bincount(origin, minlength=size)
    return first, origin, out_degree, np.full(size, 1.0 / size), np.zeros(size), 1e-10, 60


@njit(cache=False)
def round_serial(first, origin, out_degree, score, fresh):
    pages = len(score)
    dangling = 0.0
    for p in range(pages):
        if out_degree[p] == 0:
            dangling += score[p]
    base = (1.0 - DAMPING + DAMPING * dangling) / pages
    delta = 0.0
    for p in range(pages):
        gathered = 0.0
        for e in range(first[p], first[p + 1]):
            q = origin[e]
            gathered += score[q] / out_degree[q]
        fresh[p] = base + DAMPING * gathered
        delta += abs(fresh[p] - score[p])
    return delta


@njit(cache=False, parallel=True)
def round_parallel(first, origin, out_degree, score, fresh):
    pages = len(score)
    dangling = 0.0
    for p in prange(pages):
        if out_degree[p] == 0:
            dangling += score[p]
    base = (1.0 - DAMPING + DAMPING * dangling) / pages
    delta = 0.0
    for p in prange(pages):
        gathered = 0.0
        for e in range(first[p], first[p + 1]):
            q = origin[e]
            gathered += score[q] / out_degree[q]
        fresh[p] = base + DAMPING * gathered
        delta += abs(fresh[p] - score[p])
    return delta


@njit(cache=False)
def serial(first, origin, out_degree, score, fresh, tolerance, max_rounds):
    delta = tolerance
    rounds = -1
    while delta >= tolerance and rounds < max_rounds - 1:
        delta = round_serial(first, origin, out_degree, score, fresh)
        score, fresh = fresh, score
        rounds += 1
    return score, rounds


@njit(cache=False)
def parallel(first, origin, out_degree, score, fresh, tolerance, max_rounds):
    delta = tolerance
    rounds = -1
    while delta >= tolerance and rounds < max_rounds - 1:
        delta = round_parallel(first, origin, out_degree, score, fresh)
        score, fresh = fresh, score
        rounds += 1
    return score, rounds


def checksum(args, result):
    score, rounds = result
    flat = score.tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3]) + rounds
