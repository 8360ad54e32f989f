"""Covariance matrix of a table of observations; the parallel form spreads columns over threads."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    rng = np.random.default_rng(5)
    shape = (2 * size, size)
    data = rng.normal(10.0, 2.0, shape) + rng.normal(0.0, 1.0, (2 * size, 1))
    return data, np.zeros(size), np.zeros((size, size))


@njit(cache=False)
def serial(data, mean, cov):
    samples, columns = data.shape
    for j in range(columns):
        mean[j] = 0.0
        for i in range(samples):
            mean[j] += data[i, j]
        mean[j] /= samples
    for i in range(samples):
        for j in range(columns):
            data[i, j] -= mean[j]
    for j in range(columns):
        for k in range(j, columns):
            acc = 0.0
            for i in range(samples):
                acc += data[i, j] * data[i, k]
            acc /= samples - 1.0
            cov[j, k] = acc
            cov[k, j] = acc


@njit(cache=False, parallel=True)
def parallel(data, mean, cov):
    samples, columns = data.shape
    for j in prange(columns):
        acc = 0.0
        for i in range(samples):
            acc += data[i, j]
        mean[j] = acc / samples
    for i in prange(samples):
        for j in range(columns):
            data[i, j] -= mean[j]
    for j in prange(columns):
        for i in range(samples):
            factor = data[i, j]
            for k in range(j, columns):
                cov[j, k] += factor * data[i, k]
        for k in range(j, columns):
            cov[j, k] /= samples - 1.0
    for j in prange(columns):
        for k in range(j):
            cov[j, k] = cov[k, j]


def checksum(args, result):
    _, mean, cov = args
    flat = cov.ravel().tolist()
    total = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    return total + math.fsum(mean.tolist())
