"""Normally and exponentially distributed numbers of NumPy's legacy generators, and shuffled lists."""

import random

import numpy as np
from showing import attempt, show


def mixed(n):
    x = 0.0
    for i in range(n):  # native
        x += np.random.normal(0.1, 0.5) * 0.01
        if i % 3 == 0:
            x += np.random.standard_normal()
        x -= np.random.exponential(2.0) * 1e-3
        if i % 7 == 1:
            x += np.random.rand() + np.random.randint(5)
    return x


def of_an_object(rs, n):
    x = 0.0
    for i in range(n):  # native
        x += rs.normal(scale=0.5) + rs.standard_exponential() + rs.randn()
        x *= rs.normal(loc=i % 2)
    return x


def paths(m, n):
    out = np.zeros((m, n))
    for i in range(m):  # native
        for j in range(1, n):
            out[i, j] = out[i, j - 1] * 0.99 + np.random.randn()
    return out


def step(x, sigma):
    return x + np.random.normal(0, sigma)


def by_a_function(n):
    x = 0.0
    for _ in range(n):  # native
        x = step(x, 2)
    return x


def scales(given):
    drawn = []
    for scale in given:
        drawn.append(np.random.normal(1.0, scale))
    return drawn


def stops(n, a):
    for i in range(n):  # native
        a[i] = np.random.randn() + np.random.exponential()
    return a


def two_generators(first, second, n):
    x = 0.0
    for _ in range(n):
        x += first.normal() - second.normal()
    return x


def aliases(first, n):
    second, x = first, 0.0
    for _ in range(n):
        x += first.normal() - second.standard_normal()
    return x


def deck(n):
    cards, total = list(range(52)), 0
    for _ in range(n):  # native
        random.shuffle(cards)
        total += cards[0] * cards[51]
    return total, cards[:5]


def words(n):
    names = ["a", "b", "c", "d"]
    for _ in range(n):
        random.shuffle(names)
    return names


def state():
    kept = np.random.get_state()[2:]
    return kept, np.random.normal(), np.random.random()


np.random.seed(3)
random.seed(3)
show("mixed", mixed(6001), state())
np.random.normal()
show("mixed", mixed(3000), state())
rs = np.random.RandomState(7)
show("of_an_object", of_an_object(rs, 5001), rs.normal(), rs.get_state()[2:])
show("paths", paths(30, 200), state())
show("by_a_function", by_a_function(5000), state())
attempt(scales, [1.0, 2, 0.5] * 900 + [0.0] * 5 + [3.0] * 40)
attempt(scales, [1.0] * 2001 + [-1.0])
show("state", state())
attempt(scales, [1.0] * 1000 + [float("nan"), 2.0])
attempt(stops, 4000, [0.0] * 3001)
show("state", state())
show("two_generators", two_generators(np.random.RandomState(1), np.random.RandomState(2), 3000))
show("aliases", aliases(np.random.RandomState(1), 3000))
show("deck", deck(3000), random.random())
show("words", words(3001), random.random())
attempt(deck, 0)
