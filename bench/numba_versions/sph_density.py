"""Density and pressure of fluid particles over all pairs; particles in parallel."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    rng = np.random.default_rng(64)
    px, py = rng.random(size), rng.random(size)
    return px, py, 1.0 / size, np.zeros(size), np.zeros(size), 0.1, 2.5, 0.9


@njit(cache=False)
def density_of(px, py, mass, h, i):
    h2 = h * h
    xi, yi = px[i], py[i]
    acc = 0.0
    near = 0
    for j in range(len(px)):
        dx = xi - px[j]
        if not -h < dx < h:
            continue
        dy = yi - py[j]
        r2 = dx * dx + dy * dy
        if r2 < h2:
            d = h2 - r2
            acc += mass * (d * d * d)
            near += 1
    return acc * (4.0 / (math.pi * h2**4)), near


@njit(cache=False)
def serial(px, py, mass, rho, pressure, h, stiffness, rest):
    neighbours = 0
    for i in range(len(px)):
        rho[i], near = density_of(px, py, mass, h, i)
        neighbours += near
        pressure[i] = stiffness * max(rho[i] - rest, 0.0)
    return neighbours


@njit(cache=False, parallel=True)
def parallel(px, py, mass, rho, pressure, h, stiffness, rest):
    neighbours = 0
    for i in prange(len(px)):
        value, near = density_of(px, py, mass, h, i)
        rho[i] = value
        neighbours += near
        pressure[i] = stiffness * max(value - rest, 0.0)
    return neighbours


def checksum(args, result):
    flat = args[3].tolist() + args[4].tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3]) + result
