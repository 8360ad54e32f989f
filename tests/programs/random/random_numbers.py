"""Python's generator of random numbers in loops: the same numbers, and the same state behind them."""

import math
import random
from random import random as draw

import numpy as np
from showing import show

random.seed(7)


def circle(n):
    inside = 0
    for _ in range(n):  # native
        x = random.random()
        y = random.random()
        if x * x + y * y <= 1.0:
            inside += 1
    return 4 * inside / n


def between(n):
    s = 0.0
    for _ in range(n):  # native
        s += random.uniform(-1, 1)
    return s


def own(n, rng):
    s = 0.0
    for _ in range(n):  # native
        if rng.random() < 0.3:
            s += rng.random()
    return s


class Walk:
    def __init__(self):
        self.rng = random.Random(3)
        self.x = 0.0

    def run(self, n):
        for _ in range(n):  # native
            self.x += self.rng.random() - 0.5


def by_another_name(n):
    x = 0
    for _ in range(n):  # native
        x += 1 if draw() < 0.5 else -1
    return x


class Constant(random.Random):
    def random(self):
        return 0.25


def of_any_class(n, rng):
    s = 0.0
    for _ in range(n):
        s += rng.random()
    return s


def up_to_an_exception(n):
    s = 0.0
    try:
        for i in range(n):  # native
            s += random.random() / (i - 800)
    except ZeroDivisionError:
        pass
    return s


def two_ways(n):
    s = 0.0
    for _ in range(n):  # native
        s += random.random() * random.uniform(1, 2)
    return s


def metropolis(n):
    x = 0.0
    accepted = 0
    for _ in range(n):  # native
        c = x + random.uniform(-1, 1)
        if random.random() < math.exp(min(0.0, (x * x - c * c) / 2)):
            x = c
            accepted += 1
    return x, accepted


def one_generator_twice(n):
    a = random.Random(1)
    b = random.Random(2)
    c = a
    s = 0.0
    for _ in range(n):  # native
        s += a.random() - b.random() * c.random()
    return s, a.getstate(), b.getstate()


def of_numpy(n):
    s = 0.0
    for _ in range(n):  # native
        if np.random.rand() < 0.4:
            s += np.random.random() - np.random.random_sample()
    return s


def of_a_random_state(n, state):
    s = 0.0
    for _ in range(n):
        s += state.rand()
    return s


def of_numpy_many(n):
    s = 0.0
    for _ in range(n):  # cpython
        s += np.random.rand(2)[0]
    return s


def normal(n):
    s = 0.0
    for _ in range(n):
        s += random.gauss(0, 1)
    return s


def main():
    show("circle", circle(20000), random.random(), random.getrandbits(32))
    show("between", between(5000), random.random())
    rng = random.Random(42)
    show("own", own(5001, rng), rng.random(), rng.getstate())
    rng.getrandbits(5)
    show("own", own(777, rng), rng.random(), rng.getstate())
    walk = Walk()
    walk.run(4000)
    show("walk", walk.x, walk.rng.random())
    show("by_another_name", by_another_name(10000), draw())
    show("of_any_class", of_any_class(1000, Constant()), of_any_class(1000, random.Random(1)))
    show("of_any_class", of_any_class(1000, random.SystemRandom()) > 1)
    show("up_to_an_exception", up_to_an_exception(2000), random.getstate())
    show("two_ways", two_ways(1000), random.random())
    show("metropolis", metropolis(20000))
    show("one_generator_twice", one_generator_twice(3000))
    np.random.seed(5)
    show("of_numpy", of_numpy(5001), np.random.rand(), np.random.get_state()[2])
    state = np.random.RandomState(3)
    show("of_a_random_state", of_a_random_state(2001, state), state.rand(), state.randint(100))
    state = np.random.RandomState(np.random.PCG64(3))
    show("of_a_random_state", of_a_random_state(2001, state), state.rand())
    show("of_numpy_many", of_numpy_many(100), np.random.rand())
    show("normal", normal(500), random.random())


main()
