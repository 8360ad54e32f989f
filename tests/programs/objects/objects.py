"""Methods that change their objects: generators of random numbers, counters, particles."""

import math


class Random:
    def __init__(self, seed):
        self.state = seed
        self.calls = 0

    def next(self):
        self.state = (1664525 * self.state + 1013904223) % 4294967296
        self.calls += 1
        return self.state / 4294967296

    def normal(self):
        u = self.next()
        v = self.next()
        return math.sqrt(-2.0 * math.log(u + 1e-12)) * math.cos(2 * math.pi * v)


class Particle:
    def __init__(self):
        self.x = 0.0
        self.v = 1.0
        self.hits = 0

    def move(self, dt):
        self.x += self.v * dt
        if self.x > 1.0:
            self.x = 2.0 - self.x
            self.v = -self.v
            self.hits += 1
        elif self.x < 0.0:
            self.x = -self.x
            self.v = -self.v
            self.hits += 1

    def energy(self):
        return 0.5 * self.v * self.v


class Walker:
    def __init__(self, rng):
        self.rng = rng
        self.at = 0
        self.far = 0

    def walk(self, n):
        for _ in range(n):  # native
            if self.rng.next() < 0.5:
                self.at -= 1
            else:
                self.at += 1
            self.far = max(self.far, abs(self.at))
        return self.at, self.far


def estimate(rng, n):
    inside = 0
    for _ in range(n):  # native
        x = rng.next()
        y = rng.next()
        if x * x + y * y <= 1.0:
            inside += 1
    return 4.0 * inside / n, rng.state, rng.calls


def normals(rng, n):
    s = 0.0
    for i in range(n):  # native
        s += rng.normal()
    return s, rng.calls


def simulate(p, n):
    e = 0.0
    for i in range(n):  # native
        p.move(0.07)
        e += p.energy() * p.x
    return e, p.x, p.v, p.hits


def two(p, q, n):
    # Two objects, or one under two names: CPython's.
    for i in range(n):
        p.move(0.1)
        q.move(0.2)
    return p.x, q.x


class Shadowed(Particle):
    def __init__(self):
        super().__init__()
        self.move = self.jump

    def jump(self, dt):
        self.x += 10 * dt


class Guarded(Particle):
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        object.__setattr__(self, "sets", getattr(self, "sets", 0) + 1)


print(estimate(Random(42), 500), normals(Random(7), 100))
print(simulate(Particle(), 300), simulate(Shadowed(), 3))
p = Particle()
print(two(p, Particle(), 50), two(p, p, 50))
print(Walker(Random(3)).walk(200), Walker(Random(3)).walk(0))
g = Guarded()
print(simulate(g, 10), g.sets)
fresh = Random(1)
del fresh.calls
try:
    estimate(fresh, 3)
except AttributeError as error:
    print(error, fresh.state)
