"""Gray-Scott reaction and diffusion in single precision; rows of one step in parallel."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    u = np.ones((size, size), dtype=np.float32)
    v = np.zeros((size, size), dtype=np.float32)
    lo, hi = 3 * size // 8, 5 * size // 8
    u[lo:hi, lo:hi] = 0.5
    v[lo:hi, lo:hi] = 0.25
    v += 0.02 * np.random.default_rng(19).random((size, size), dtype=np.float32)
    rates = np.array([0.16, 0.08, 0.035, 0.035 + 0.065], dtype=np.float32)
    return u, v, np.empty_like(u), np.empty_like(v), rates, size // 2


@njit(cache=False)
def react_row(u, v, u_next, v_next, rates, i):
    n, m = u.shape
    spread_u, spread_v, feed, loss = rates
    one = np.float32(1.0)
    four = np.float32(4.0)
    north = i - 1 if i > 0 else n - 1
    south = i + 1 if i < n - 1 else 0
    for j in range(m):
        west = j - 1 if j > 0 else m - 1
        east = j + 1 if j < m - 1 else 0
        cu = u[i, j]
        cv = v[i, j]
        lap_u = u[north, j] + u[south, j] + u[i, west] + u[i, east] - four * cu
        lap_v = v[north, j] + v[south, j] + v[i, west] + v[i, east] - four * cv
        uvv = cu * cv * cv
        u_next[i, j] = cu + spread_u * lap_u - uvv + feed * (one - cu)
        v_next[i, j] = cv + spread_v * lap_v + uvv - loss * cv


@njit(cache=False)
def react_serial(u, v, u_next, v_next, rates):
    for i in range(len(u)):
        react_row(u, v, u_next, v_next, (rates[0], rates[1], rates[2], rates[3]), i)


@njit(cache=False, parallel=True)
def react_parallel(u, v, u_next, v_next, rates):
    for i in prange(len(u)):
        react_row(u, v, u_next, v_next, (rates[0], rates[1], rates[2], rates[3]), i)


@njit(cache=False)
def serial(u, v, u_next, v_next, rates, steps):
    for _ in range(steps):
        react_serial(u, v, u_next, v_next, rates)
        u, u_next = u_next, u
        v, v_next = v_next, v
    return u, v


@njit(cache=False)
def parallel(u, v, u_next, v_next, rates, steps):
    for _ in range(steps):
        react_parallel(u, v, u_next, v_next, rates)
        u, u_next = u_next, u
        v, v_next = v_next, v
    return u, v


def checksum(args, result):
    u, v = result
    flat = u.ravel().tolist() + v.ravel().tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
