"""Weighted two-dimensional histogram; the parallel form fills one grid per thread."""

import math

import numpy as np
from numba import get_num_threads, njit, prange

BINS = 64


def setup(size):
    rng = np.random.default_rng(1895)
    xs = rng.normal(0.0, 1.0, size)
    ys = 0.4 * xs + rng.normal(0.0, 0.8, size)
    return xs, ys, rng.random(size), np.zeros((BINS, BINS)), -2.0, 2.0


@njit(cache=False)
def fill(xs, ys, weights, grid, low, high, begin, end):
    scale = len(grid) / (high - low)
    inside = 0
    for n in range(begin, end):
        x = xs[n]
        y = ys[n]
        if not (low <= x < high and low <= y < high):
            continue
        grid[int((y - low) * scale), int((x - low) * scale)] += weights[n]
        inside += 1
    return inside


@njit(cache=False)
def serial(xs, ys, weights, grid, low, high):
    return fill(xs, ys, weights, grid, low, high, 0, len(xs))


@njit(cache=False, parallel=True)
def parallel(xs, ys, weights, grid, low, high):
    blocks = get_num_threads()
    partial = np.zeros((blocks, grid.shape[0], grid.shape[1]))
    inside = 0
    n = len(xs)
    for k in prange(blocks):
        begin = n * k // blocks
        inside += fill(xs, ys, weights, partial[k], low, high, begin, n * (k + 1) // blocks)
    for k in range(blocks):
        for row in range(grid.shape[0]):
            for column in range(grid.shape[1]):
                grid[row, column] += partial[k, row, column]
    return inside


def checksum(args, result):
    flat = args[3].ravel().tolist()
    return math.fsum((k % 61 + 1) * v for k, v in enumerate(flat)) + result
