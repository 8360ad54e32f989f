"""Gravitating bodies, leapfrog steps and energy; bodies in parallel within each kick."""

import math

import numpy as np
from numba import njit, prange

STEPS = 8
SOFTENING = 0.05


def setup(size):
    rng = np.random.default_rng(101)
    x, y, z = rng.uniform(-1.0, 1.0, (3, size))
    mass = rng.uniform(0.5, 1.5, size) / size
    return x, y, z, -0.2 * y, 0.2 * x, np.zeros(size), mass


@njit(cache=False)
def kick_one(x, y, z, vx, vy, vz, mass, dt, i):
    ax = ay = az = 0.0
    for j in range(len(x)):
        if i == j:
            continue
        dx = x[j] - x[i]
        dy = y[j] - y[i]
        dz = z[j] - z[i]
        r2 = dx * dx + dy * dy + dz * dz + SOFTENING
        pull = mass[j] / (r2 * math.sqrt(r2))
        ax += pull * dx
        ay += pull * dy
        az += pull * dz
    vx[i] += dt * ax
    vy[i] += dt * ay
    vz[i] += dt * az


@njit(cache=False)
def energy_one(x, y, z, vx, vy, vz, mass, i):
    total = 0.5 * mass[i] * (vx[i] ** 2 + vy[i] ** 2 + vz[i] ** 2)
    for j in range(i):
        dx = x[j] - x[i]
        dy = y[j] - y[i]
        dz = z[j] - z[i]
        total -= mass[i] * mass[j] / math.sqrt(dx * dx + dy * dy + dz * dz + SOFTENING)
    return total


@njit(cache=False)
def serial(x, y, z, vx, vy, vz, mass):
    n = len(x)
    for _ in range(STEPS):
        for i in range(n):
            kick_one(x, y, z, vx, vy, vz, mass, 0.01, i)
        for i in range(n):
            x[i] += 0.01 * vx[i]
            y[i] += 0.01 * vy[i]
            z[i] += 0.01 * vz[i]
    total = 0.0
    for i in range(n):
        total += energy_one(x, y, z, vx, vy, vz, mass, i)
    return total


@njit(cache=False, parallel=True)
def parallel(x, y, z, vx, vy, vz, mass):
    n = len(x)
    for _ in range(STEPS):
        for i in prange(n):
            kick_one(x, y, z, vx, vy, vz, mass, 0.01, i)
        for i in range(n):
            x[i] += 0.01 * vx[i]
            y[i] += 0.01 * vy[i]
            z[i] += 0.01 * vz[i]
    total = 0.0
    for i in prange(n):
        total += energy_one(x, y, z, vx, vy, vz, mass, i)
    return total


def checksum(args, result):
    flat = [abs(v) for axis in args[:3] for v in axis.tolist()]
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3]) + result
