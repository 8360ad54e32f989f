"""Gravitating bodies in a class: softened forces, leapfrog steps and the energy of the cluster."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 66, "medium": 480, "large": 1_500}
STEPS = 8
SOFTENING = 0.05


class Cluster:
    """Positions, velocities and masses as one sequence per coordinate."""

    def __init__(self, x, y, z, mass):
        self.x, self.y, self.z = x, y, z
        self.mass = mass
        self.n = len(mass)
        self.vx = x.copy()
        self.vy = y.copy()
        self.vz = z.copy()
        for i in range(self.n):
            self.vx[i], self.vy[i], self.vz[i] = -0.2 * y[i], 0.2 * x[i], 0.0
        self.total = 0.0

    def kick(self, dt):
        for i in range(self.n):
            ax = ay = az = 0.0
            for j in range(self.n):
                if i == j:
                    continue
                dx = self.x[j] - self.x[i]
                dy = self.y[j] - self.y[i]
                dz = self.z[j] - self.z[i]
                r2 = dx * dx + dy * dy + dz * dz + SOFTENING
                pull = self.mass[j] / (r2 * math.sqrt(r2))
                ax += pull * dx
                ay += pull * dy
                az += pull * dz
            self.vx[i] += dt * ax
            self.vy[i] += dt * ay
            self.vz[i] += dt * az

    def drift(self, dt):
        for i in range(self.n):
            self.x[i] += dt * self.vx[i]
            self.y[i] += dt * self.vy[i]
            self.z[i] += dt * self.vz[i]

    def energy(self):
        self.total = 0.0
        for i in range(self.n):
            speed2 = self.vx[i] ** 2 + self.vy[i] ** 2 + self.vz[i] ** 2
            self.total += 0.5 * self.mass[i] * speed2
            for j in range(i):
                dx = self.x[j] - self.x[i]
                dy = self.y[j] - self.y[i]
                dz = self.z[j] - self.z[i]
                r = math.sqrt(dx * dx + dy * dy + dz * dz + SOFTENING)
                self.total -= self.mass[i] * self.mass[j] / r
        return self.total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(101)
    x, y, z = rng.uniform(-1.0, 1.0, (3, n))
    mass = rng.uniform(0.5, 1.5, n) / n
    if options.form == "list":
        x, y, z, mass = x.tolist(), y.tolist(), z.tolist(), mass.tolist()
    cluster = Cluster(x, y, z, mass)

    start = time.perf_counter()
    for _ in range(STEPS):
        cluster.kick(0.01)
        cluster.drift(0.01)
    energy = cluster.energy()
    seconds = time.perf_counter() - start

    flat = [abs(float(v)) for axis in (cluster.x, cluster.y, cluster.z) for v in axis]
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3]) + float(energy)
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
