"""Lattice Boltzmann flow past an obstacle (D2Q9); directions, then rows, in parallel."""

import math

import numpy as np
from numba import njit, prange

EX = (0, 1, 0, -1, 0, 1, -1, -1, 1)
EY = (0, 0, 1, 0, -1, 1, 1, -1, -1)
OPPOSITE = (0, 3, 4, 1, 2, 7, 8, 5, 6)
WEIGHT = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)


def setup(size):
    height, width = size, 2 * size
    f = np.empty((9, height, width))
    for q in range(9):
        f[q] = WEIGHT[q] * (1.0 + 0.3 * EX[q])
    solid = np.zeros((height, width), dtype=np.bool_)
    solid[0, :] = solid[-1, :] = True
    solid[size // 3 : size // 2 + 1, size // 2 : size // 2 + 3] = True
    return f, f.copy(), solid, 1.2, max(2, size // 2)


@njit(cache=False)
def stream_row(f, g, solid, y):
    _, height, width = f.shape
    for q in range(9):
        source_y = (y - EY[q]) % height
        for x in range(width):
            source_x = (x - EX[q]) % width
            if solid[source_y, source_x]:
                g[q, y, x] = f[OPPOSITE[q], y, x]
            else:
                g[q, y, x] = f[q, source_y, source_x]


@njit(cache=False)
def collide_row(g, f, solid, omega, y):
    for x in range(solid.shape[1]):
        if solid[y, x]:
            continue
        rho = 0.0
        ux = 0.0
        uy = 0.0
        for q in range(9):
            rho += g[q, y, x]
            ux += EX[q] * g[q, y, x]
            uy += EY[q] * g[q, y, x]
        ux = ux / rho + 1e-5
        uy = uy / rho
        square = 1.5 * (ux * ux + uy * uy)
        for q in range(9):
            eu = 3.0 * (EX[q] * ux + EY[q] * uy)
            equilibrium = WEIGHT[q] * rho * (1.0 + eu + 0.5 * eu * eu - square)
            f[q, y, x] = (1.0 - omega) * g[q, y, x] + omega * equilibrium


@njit(cache=False)
def serial(f, g, solid, omega, steps):
    for _ in range(steps):
        for y in range(len(solid)):
            stream_row(f, g, solid, y)
        for y in range(len(solid)):
            collide_row(g, f, solid, omega, y)


@njit(cache=False, parallel=True)
def parallel(f, g, solid, omega, steps):
    for _ in range(steps):
        for y in prange(len(solid)):
            stream_row(f, g, solid, y)
        for y in prange(len(solid)):
            collide_row(g, f, solid, omega, y)


def checksum(args, result):
    flat = args[0].ravel().tolist()
    return math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
