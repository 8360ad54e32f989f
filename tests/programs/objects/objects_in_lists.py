"""Loops over lists of objects, their methods, and functions of them."""

import math
import random


class Body:
    def __init__(self, x, y, vx, vy, mass):
        self.x, self.y, self.vx, self.vy, self.mass = x, y, vx, vy, mass
        self.bounces = 0

    def move(self, dt):
        self.x += dt * self.vx
        self.y += dt * self.vy
        if self.x < 0 or self.x > 1:
            self.vx = -self.vx
            self.bounces += 1

    def energy(self):
        return 0.5 * self.mass * (self.vx**2 + self.vy**2)


def distance(a, b):
    return math.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2 + 1e-6)


def step(bodies, dt):
    for a in bodies:  # native throughout
        ax = ay = 0.0
        for b in bodies:
            if b is not a:
                f = b.mass / distance(a, b) ** 3
                ax += f * (b.x - a.x)
                ay += f * (b.y - a.y)
        a.vx += dt * ax
        a.vy += dt * ay
    for a in bodies:  # native throughout
        a.move(dt)


def total(bodies):
    e = 0.0
    for i in range(len(bodies)):  # native throughout
        e += bodies[i].energy()
        for j in range(i):
            e -= bodies[i].mass * bodies[j].mass / distance(bodies[i], bodies[j])
    return e


random.seed(3)
bodies = [Body(*(random.random() for _ in range(4)), 0.001 * k) for k in range(12)]
for _ in range(5):  # native throughout
    step(bodies, 0.05)
step(bodies, 0.01)
print(total(bodies).hex(), sum(b.bounces for b in bodies), bodies[3].x.hex())


class Cell:
    __slots__ = ("alive", "age", "level")

    def __init__(self, k):
        self.alive, self.age, self.level = k % 3 == 0, k, k / 8


def aged(cells):
    n = 0
    for cell in cells:  # native throughout
        if cell.alive and cell.level > 0.5:
            cell.age += 1
            cell.level *= 0.5
            n += 1
        elif not cell.alive:
            cell.alive = cell.age % 2 == 0
    return n, cells.index(cell)


cells = [Cell(k) for k in range(20)]
print([aged(cells) for _ in range(3)], [(c.alive, c.age, c.level) for c in cells])


def nearest(bodies, x, y):
    best, found = math.inf, None
    for i, b in enumerate(bodies):  # native
        d = (b.x - x) ** 2 + (b.y - y) ** 2
        if d < best:
            best, found = d, i
    return best.hex(), found


print(nearest(bodies, 0.5, 0.5))
