"""Numbers of `random` that are normally or exponentially distributed: the second of two is kept."""

import math
import random


def option(s, k, t, r, sigma, n):
    total = 0.0
    for _ in range(n):  # native throughout
        z = random.gauss(0.0, 1.0)
        st = s * math.exp((r - 0.5 * sigma * sigma) * t + sigma * math.sqrt(t) * z)
        total += max(st - k, 0.0)
    return math.exp(-r * t) * total / n


def step(x, dt):
    return x - x * dt + random.gauss(mu=0, sigma=math.sqrt(dt))


def walk(x, n):
    xs = []
    for i in range(n):  # native throughout
        x = step(x, 0.01)
        if i % 3 == 0:
            x += random.gauss(0.5, 0.1)
        xs.append(x)
    return x, xs[-3:]


def mixed(rng, n):
    a = b = c = 0.0
    for _ in range(n):  # native throughout
        a += rng.normalvariate(1.0, 2.0)
        b += rng.expovariate(0.5) * rng.random()
        c += rng.gauss(b, 1)
    return a, b, c, rng.random(), rng.getstate()[2]


def waits(rate, horizon):
    t, count = 0.0, 0
    while t < horizon:  # native throughout
        t += random.expovariate(rate)
        count += 1
    return t, count


def two(a, b, n):
    s = 0.0
    for _ in range(n):
        s += a.gauss(0, 1) - b.gauss(0, 1)
    return s, a.random(), b.random()


def falls(rng, n):
    s = 0.0
    for i in range(n):
        s += rng.gauss(0.0, 1.0) / (i - 7)
    return s


class Odd(random.Random):
    def random(self):
        return 0.25


class Particle:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.x = 0.0

    def run(self, n):
        for _ in range(n):  # native throughout
            self.x += self.rng.gauss(0.0, 0.1)
        return self.x


random.seed(12345)
print(option(100, 105, 1.0, 0.05, 0.2, 3000), random.random(), random.getstate()[2])
for n in (1, 2, 3, 40):
    print(walk(1.0, n), random.getstate()[2], random.gauss(0, 1))
for n in (0, 1, 2, 7):
    print(mixed(random.Random(n), n))
print(waits(2.0, 50.0), random.random())
print(two(random.Random(1), random.Random(2), 5), mixed(Odd(3), 3))
rng = random.Random(4)
try:
    falls(rng, 20)
except ZeroDivisionError as e:
    print(e, rng.getstate()[2], rng.random())
p = Particle(9)
print(p.run(5), p.run(4), p.rng.getstate()[2], p.rng.gauss(0, 1))
total = 0.0
for i in range(501):  # native throughout
    total += random.gauss(i, 1.0)
print(total, random.gauss(0, 1), random.getstate()[2])
random.seed(1)
print(random.getstate()[2], option(100, 105, 1.0, 0.05, 0.2, 5))
try:
    for i in range(3):
        total += random.expovariate(i)
except ZeroDivisionError as e:
    print(e, random.random())
