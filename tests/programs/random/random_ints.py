"""Random ints and choices in loops: the same ones, and the same state behind them."""

import random

import numpy as np
from showing import show

random.seed(11)
np.random.seed(5)
low = 3


def dice(n):
    counts = [0] * 7
    for _ in range(n):  # native
        counts[random.randint(1, 6)] += 1
    return counts


def walk(n):
    x = y = 0
    for _ in range(n):  # native
        x += random.choice([-1, 1])
        y += random.choice((0, 1, 2))
    return x, y


def chosen(n, names, rows):
    s = 0
    for _ in range(n):  # native
        s += random.choice(names) * random.choice(rows)
    return s


def shuffled(items):
    for i in range(len(items) - 1, 0, -1):  # native
        j = random.randint(0, i)
        items[i], items[j] = items[j], items[i]
    return items


def ranges(n):
    s = 0
    for i in range(1, n):  # native
        s += random.randrange(i) + random.randrange(-i, i) + random.randrange(start=i, stop=2 * i)
    return s


def widths(n):
    s = t = 0
    for i in range(n):  # native
        s += random.randint(0, 1 << i % 30)
        t += random.randint(7, 7)
    return s, t


def wide(n):
    s = 0
    for i in range(n):  # native
        s += random.randint(0, 2**40) if i % 50 == 0 else random.randint(0, 9)
    return s


def of_numpy(n, edge):
    r = None
    for i in range(n):  # native
        r = random.randint(low, edge)
    return r


def own(rng, n):
    s = 0
    for _ in range(n):  # native
        s = s * 3 % 1001 + rng.randint(0, 100)
    return s


class Constant(random.Random):
    def random(self):
        return 0.25


def of_any_class(rng, n):
    s = 0
    for _ in range(n):
        s = s * 3 % 1001 + rng.randint(0, 100)
    return s


def legacy(n):
    s, x = 0, 0.0
    for i in range(1, n):  # native
        s += np.random.randint(i) + np.random.randint(-5, i) + np.random.randint(0, 1)
        x += np.random.uniform(-1.0, 2) + np.random.uniform() + np.random.uniform(i, high=i + 1)
    return s, x


def legacy_own(state, n):
    t = 0
    for i in range(n):  # native
        t = t * 3 % 1001 + state.randint(0, 1 << i % 30)
    return t, state.uniform(0, 1)


def empty(n):
    for i in range(n):  # native
        r = random.randrange(n - 3 - i)
    return r


def no_choice(items, n):
    for _ in range(n):
        r = random.choice(items)
    return r


def of_floats(a, b):
    r = 0
    for _ in range(3):
        r = random.randint(a, b)
    return r


def infinite(n, high):
    x = 0.0
    for _ in range(n):  # native
        x += np.random.uniform(0.0, high)
    return x


show("dice", dice(1000))
show("walk", *walk(700))
show("chosen", chosen(300, [5, 7, 11], np.arange(9)), chosen(300, (2.5, 1.5), [1, 2, 3]))
show("shuffled", shuffled(list(range(50))), shuffled(np.arange(10)).tolist())
show("ranges", ranges(300), *widths(900), wide(200))
show("of numpy", of_numpy(9, np.int64(20)), of_numpy(9, 20), of_numpy(9, True + 5))
rng = random.Random(2)
show("own", own(rng, 500), rng.random())
for generator in (random.Random(4), Constant(4), random.Random(4)):
    show("of any class", of_any_class(generator, 40))
show("legacy", *legacy(200))
show("legacy own", *legacy_own(np.random.RandomState(3), 700))
for call in (
    lambda: empty(10),
    lambda: no_choice([], 3),
    lambda: of_floats(0.5, 3),
    lambda: of_floats(np.arange(2), 3),
    lambda: random.randint(5, 4),
    lambda: infinite(3, np.inf),
    lambda: infinite(3, -2.5),
):
    try:
        show("call", call())
    except Exception as error:
        show(type(error).__name__)
show("state", random.getrandbits(32), np.random.randint(1 << 30), random.getstate()[1][-1])
