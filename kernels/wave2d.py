"""Wave equation on a membrane: a class that owns three time levels and rotates them each step."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 54, "medium": 165, "large": 360}


class Membrane:
    """A square drum with a clamped rim and a little damping."""

    def __init__(self, n, courant, damping):
        self.n = n
        self.c2 = courant * courant
        self.damping = damping
        self.previous = np.zeros((n, n))
        self.current = np.zeros((n, n))
        self.following = np.zeros((n, n))
        self.energy = 0.0

    def pluck(self):
        axis = np.linspace(-1.0, 1.0, self.n)
        bump = np.exp(-20.0 * ((axis[:, None] - 0.3) ** 2 + (axis[None, :] + 0.1) ** 2))
        self.current[1:-1, 1:-1] = bump[1:-1, 1:-1]
        self.previous[:, :] = self.current

    def step(self):
        for i in range(1, self.n - 1):
            for j in range(1, self.n - 1):
                u = self.current[i, j]
                laplacian = (
                    self.current[i - 1, j]
                    + self.current[i + 1, j]
                    + self.current[i, j - 1]
                    + self.current[i, j + 1]
                    - 4.0 * u
                )
                velocity = u - self.previous[i, j]
                self.following[i, j] = u + self.damping * velocity + self.c2 * laplacian
        self.previous, self.current, self.following = self.current, self.following, self.previous

    def measure(self):
        self.energy = 0.0
        for i in range(self.n):
            for j in range(self.n):
                velocity = self.current[i, j] - self.previous[i, j]
                self.energy += 0.5 * velocity * velocity


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    drum = Membrane(n, 0.5, 0.999)
    drum.pluck()
    kinetic = []

    start = time.perf_counter()
    for t in range(n // 3):
        drum.step()
        if t % 10 == 0:
            drum.measure()
            kinetic.append(float(drum.energy))
    seconds = time.perf_counter() - start

    flat = [abs(value) for value in drum.current.ravel().tolist()]
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3]) + math.fsum(kinetic)
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
