"""Conjugate gradients on a sparse Laplacian in compressed rows; rows in parallel."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    first, column, value = [0], [], []
    for y in range(size):
        for x in range(size):
            here = y * size + x
            for dy, dx in ((-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)):
                if 0 <= y + dy < size and 0 <= x + dx < size:
                    column.append(here + dy * size + dx)
                    value.append(-1.0 if dy or dx else 4.0 + 0.01 * (here % 7))
            first.append(len(column))
    b = np.random.default_rng(1952).random(size * size)
    matrix = np.array(first), np.array(column, dtype=np.int32), np.array(value)
    return (*matrix, b, np.zeros(size * size), 1e-18, 2 * size)


@njit(cache=False)
def dot(a, b):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@njit(cache=False)
def serial(first, column, value, b, x, tolerance, limit):
    n = len(b)
    r = b.copy()
    p = b.copy()
    ap = np.zeros(n)
    rr = dot(r, r)
    count = 0
    while rr > tolerance and count < limit:
        for i in range(n):
            total = 0.0
            for e in range(first[i], first[i + 1]):
                total += value[e] * p[column[e]]
            ap[i] = total
        alpha = rr / dot(p, ap)
        for i in range(n):
            x[i] += alpha * p[i]
            r[i] -= alpha * ap[i]
        fresh = dot(r, r)
        beta = fresh / rr
        for i in range(n):
            p[i] = r[i] + beta * p[i]
        rr = fresh
        count += 1
    return count


@njit(cache=False, parallel=True)
def iterate(first, column, value, x, r, p, ap, rr):
    n = len(x)
    pap = 0.0
    for i in prange(n):
        total = 0.0
        for e in range(first[i], first[i + 1]):
            total += value[e] * p[column[e]]
        ap[i] = total
        pap += p[i] * total
    alpha = rr / pap
    fresh = 0.0
    for i in prange(n):
        x[i] += alpha * p[i]
        r[i] -= alpha * ap[i]
        fresh += r[i] * r[i]
    beta = fresh / rr
    for i in prange(n):
        p[i] = r[i] + beta * p[i]
    return fresh


@njit(cache=False)
def parallel(first, column, value, b, x, tolerance, limit):
    r = b.copy()
    p = b.copy()
    ap = np.zeros(len(b))
    rr = dot(r, r)
    count = 0
    while rr > tolerance and count < limit:
        rr = iterate(first, column, value, x, r, p, ap, rr)
        count += 1
    return count


def checksum(args, result):
    flat = args[4].tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3]) + result
