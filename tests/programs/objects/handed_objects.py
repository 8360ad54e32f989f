"""Objects that loops hand to functions: attributes are read and assigned, by one name, by two, and of several objects."""

import numpy as np
from showing import attempt, show


class Body:
    def __init__(self, x, v, m=1.0):
        self.x, self.v, self.m = x, v, m
        self.trail = []
        self.inner = None

    @property
    def energy(self):
        return 0.5 * self.m * self.v * self.v


def moved(b, dt):
    b.x += dt * b.v
    b.v -= dt * b.x


def gravity(a, b):
    return (a.x - b.x) * a.m * b.m


def through(b, dt):
    moved(b, 0.5 * dt)
    moved(b, dt=0.5 * dt)


def one(b, n):
    for i in range(n):  # native
        moved(b, 0.01)
    return b.x, b.v


def deeper(b, n):
    for i in range(n):  # native
        through(b, 0.01)
    return b.x, b.v


def two(a, b, n):
    s = 0.0
    for i in range(n):  # native
        s += gravity(a, b) + i
    return s


def in_turns(a, b, n):
    for i in range(n):
        moved(a, 0.01)
        moved(b, 0.02)
    return a.x, b.x


def read_beside(a, b, n):
    s = 0.0
    for i in range(n):
        moved(a, 0.01)
        s += b.x
    return s


def swapped(a, b, n):
    for i in range(n):
        moved(a, 0.01)
        a, b = b, a
    return a.x, b.x


def kinetic(b):
    return b.energy


def by_property(b, n):
    s = 0.0
    for i in range(n):
        s += kinetic(b)
        b.v += 1.0
    return s


def recorded(b, i):
    b.trail.append(i * b.m)


def trails(b, n):
    for i in range(n):  # native
        recorded(b, i)
    return b.trail


def within(b, i):
    return b.inner.x * i + b.inner.m


def inner(b, n):
    s = 0.0
    for i in range(n):  # native
        s += within(b, i)
    return s


def drawn(rng, out):
    out[rng.integers(0, 10)] += rng.random()


def draws(rng, n):
    out = np.zeros(10)
    for i in range(n):  # native
        drawn(rng, out)
    return out


def lookup(table, k):
    return table["xs"][k] + table["c"]


def tables(table, n):
    s = 0
    for i in range(n):  # native
        s += lookup(table, i % 5)
    return s


def tables_in_turns(table, other, n):
    s = 0
    for i in range(n):
        s += lookup(table, i % 5) - lookup(other, i % 3)
    return s


def keeps(table, i):
    table["c"] = i
    return table["xs"][0]


def kept(table, n):
    s = 0
    for i in range(n):  # native
        s += keeps(table, i) + lookup(table, 1)
    return s


def default(k, b=None):
    return k if b is None else k * b.x


def defaults(b, n):
    s = 0.0
    for i in range(n):  # native
        s += default(i)
    for i in range(n):  # native
        s += default(i, b)
    return s


shared = Body(5.0, 1.0)


def of_module(b, dt):
    b.x += dt
    return shared.x


def by_two_names(b, n):
    s = 0.0
    for i in range(n):
        s += of_module(b, 0.5)
    return s


n = 120
for k in range(3):
    b = Body(1.0 + k, 0.5)
    show(one(b, n), deeper(b, n), one(b, 0))
    show(two(b, Body(0.25, 0.0, 3.0), n), two(b, b, n))
    show(in_turns(b, Body(2.0, 1.0), n), in_turns(b, b, n))
    show(read_beside(b, Body(3.0, 0.0), n), read_beside(b, b, n))
    show(swapped(b, Body(2.0, 1.0), n), swapped(b, b, n))
    show(by_property(b, n), len(trails(b, n)), b.trail[-3:])
    b.inner = Body(0.5, 0.0, k)
    show(inner(b, n), defaults(b, n))
    show(by_two_names(b, n), by_two_names(shared, n))
show(draws(np.random.default_rng(4), n))
table = {"xs": [1, 2, 3, 4, 5], "c": 10}
show(tables(table, n), tables_in_turns(table, {"xs": (7, 8, 9), "c": -1}, n))
show(kept(table, n), table)
attempt(lambda: inner(Body(1.0, 1.0), n))
attempt(lambda: one(object(), n))
attempt(lambda: tables({"xs": [1]}, n))
