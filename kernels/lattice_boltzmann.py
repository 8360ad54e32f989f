"""Lattice Boltzmann flow past a square obstacle (D2Q9): stream, bounce back, collide."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 15, "medium": 48, "large": 100}
EX = (0, 1, 0, -1, 0, 1, -1, -1, 1)
EY = (0, 0, 1, 0, -1, 1, 1, -1, -1)
OPPOSITE = (0, 3, 4, 1, 2, 7, 8, 5, 6)
WEIGHT = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)


def stream(f, g, solid):
    _, height, width = f.shape
    for q in range(9):
        for y in range(height):
            for x in range(width):
                source_y = (y - EY[q]) % height
                source_x = (x - EX[q]) % width
                if solid[source_y, source_x]:
                    g[q, y, x] = f[OPPOSITE[q], y, x]
                else:
                    g[q, y, x] = f[q, source_y, source_x]


def collide(g, f, solid, omega):
    height, width = solid.shape
    for y in range(height):
        for x in range(width):
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    height, width = n, 2 * n
    f = np.empty((9, height, width))
    for q in range(9):
        f[q] = WEIGHT[q] * (1.0 + 0.3 * EX[q])
    g = np.zeros_like(f)
    solid = np.zeros((height, width), dtype=bool)
    solid[0, :] = solid[-1, :] = True
    solid[n // 3 : n // 2 + 1, n // 2 : n // 2 + 3] = True
    g[:, :, :] = f

    start = time.perf_counter()
    for _ in range(max(2, n // 2)):
        stream(f, g, solid)
        collide(g, f, solid, 1.2)
    seconds = time.perf_counter() - start

    flat = f.ravel().tolist()
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
