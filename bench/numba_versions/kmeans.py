"""Lloyd's k-means on points in space; points are assigned in parallel."""

import math

import numpy as np
from numba import njit, prange

CLUSTERS = 12
ROUNDS = 4


def setup(size):
    rng = np.random.default_rng(1957)
    points = rng.normal(0.0, 0.4, (size, 3)) + rng.integers(0, 4, (size, 1))
    labels = np.zeros(size, dtype=np.int32)
    return points, points[:CLUSTERS].copy(), labels, np.zeros(CLUSTERS, dtype=np.int64)


@njit(cache=False)
def nearest(points, centres, i):
    best = math.inf
    choice = -1
    for k in range(centres.shape[0]):
        d2 = 0.0
        for axis in range(points.shape[1]):
            gap = points[i, axis] - centres[k, axis]
            d2 += gap * gap
        if d2 < best:
            best = d2
            choice = k
    return best, choice


@njit(cache=False)
def recentre(points, centres, labels, members):
    members[:] = 0
    centres[:, :] = 0.0
    for i in range(len(points)):
        k = labels[i]
        members[k] += 1
        for axis in range(points.shape[1]):
            centres[k, axis] += points[i, axis]
    for k in range(len(centres)):
        if members[k] > 0:
            for axis in range(centres.shape[1]):
                centres[k, axis] /= members[k]


@njit(cache=False)
def serial(points, centres, labels, members):
    inertia = 0.0
    for _ in range(ROUNDS):
        inertia = 0.0
        for i in range(len(points)):
            best, labels[i] = nearest(points, centres, i)
            inertia += best
        recentre(points, centres, labels, members)
    return inertia


@njit(cache=False, parallel=True)
def assign(points, centres, labels):
    inertia = 0.0
    for i in prange(len(points)):
        best, choice = nearest(points, centres, i)
        labels[i] = choice
        inertia += best
    return inertia


@njit(cache=False)
def parallel(points, centres, labels, members):
    inertia = 0.0
    for _ in range(ROUNDS):
        inertia = assign(points, centres, labels)
        recentre(points, centres, labels, members)
    return inertia


def checksum(args, result):
    _, centres, labels, _ = args
    flat = centres.ravel().tolist()
    total = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3]) + result
    return total + sum((i % 53 + 1) * k for i, k in enumerate(labels.tolist()))
