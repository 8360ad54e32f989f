"""Row-wise softmax with the maximum taken out first; rows in parallel."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    scores = np.random.default_rng(12).normal(0.0, 3.0, (size, size))
    return scores, np.zeros_like(scores)


@njit(cache=False)
def softmax_row(row, out):
    top = row[0]
    for j in range(len(row)):
        if row[j] > top:
            top = row[j]
    total = 0.0
    for j in range(len(row)):
        e = np.exp(row[j] - top)
        out[j] = e
        total += e
    for j in range(len(row)):
        out[j] /= total


@njit(cache=False)
def serial(scores, out):
    for i in range(len(scores)):
        softmax_row(scores[i], out[i])


@njit(cache=False, parallel=True)
def parallel(scores, out):
    for i in prange(len(scores)):
        softmax_row(scores[i], out[i])


def checksum(args, result):
    flat = args[1].ravel().tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
