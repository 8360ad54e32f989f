"""Bodies that attract each other: methods of objects."""

import argparse
import random
import time


class Body:
    def __init__(self, x, y, m):
        self.x, self.y, self.m = x, y, m
        self.vx = self.vy = 0.0

    def pull(self, other, dt):
        dx = other.x - self.x
        dy = other.y - self.y
        d2 = dx * dx + dy * dy + 0.01
        f = other.m * dt / (d2 * d2**0.5)
        self.vx += f * dx
        self.vy += f * dy

    def move(self, dt):
        self.x += self.vx * dt
        self.y += self.vy * dt


def simulate(bodies, steps, dt):
    for _ in range(steps):
        for a in bodies:
            for b in bodies:
                if a is not b:
                    a.pull(b, dt)
        for a in bodies:
            a.move(dt)


parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=20)
n = parser.parse_args().size

random.seed(17)
bodies = [Body(random.random(), random.random(), random.random()) for _ in range(n)]
begun = time.perf_counter()
simulate(bodies, 10, 0.01)
seconds = time.perf_counter() - begun
print("checksum", repr(sum(b.x + b.y for b in bodies)))
print("kernel_seconds", seconds)
