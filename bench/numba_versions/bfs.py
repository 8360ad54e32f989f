"""Breadth-first search over compressed rows from four roots; the roots in parallel."""

import numpy as np
from numba import njit, prange


def setup(size):
    rng = np.random.default_rng(1945)
    degree = rng.integers(1, 9, size)
    first = np.zeros(size + 1, dtype=np.int64)
    first[1:] = np.cumsum(degree)
    owner = np.repeat(np.arange(size), degree)
    reach = size // 50 + 2
    hop = rng.integers(-reach, reach + 1, len(owner))
    neighbours = ((owner + hop) % size).astype(np.int32)
    roots = np.array([0, size // 3, size // 2, size - 1])
    level = np.zeros((len(roots), size), dtype=np.int32)
    queue = np.zeros((len(roots), size), dtype=np.int32)
    return first, neighbours, roots, level, queue


@njit(cache=False)
def search(first, neighbours, root, level, queue):
    for v in range(len(level)):
        level[v] = -1
    level[root] = 0
    queue[0] = root
    begin, end = 0, 1
    depth = 0
    while begin < end:
        depth += 1
        tail = end
        for q in range(begin, end):
            u = queue[q]
            for e in range(first[u], first[u + 1]):
                v = neighbours[e]
                if level[v] < 0:
                    level[v] = depth
                    queue[tail] = v
                    tail += 1
        begin, end = end, tail
    return end


@njit(cache=False)
def serial(first, neighbours, roots, level, queue):
    found = np.zeros(len(roots), dtype=np.int64)
    for k in range(len(roots)):
        found[k] = search(first, neighbours, roots[k], level[k], queue[k])
    return found


@njit(cache=False, parallel=True)
def parallel(first, neighbours, roots, level, queue):
    found = np.zeros(len(roots), dtype=np.int64)
    for k in prange(len(roots)):
        found[k] = search(first, neighbours, roots[k], level[k], queue[k])
    return found


def checksum(args, result):
    level = args[3]
    weights = np.arange(level.shape[1], dtype=np.int64) % 1021 + 1
    total = 0
    for k, found in enumerate(result.tolist()):
        total = total * 3 + int(level[k] @ weights) + 17 * found
    return total
