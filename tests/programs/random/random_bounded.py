"""Ints of `np.random.default_rng()`: every second one comes from what the draw before has kept."""

import math

import numpy as np


def drawn(seed, n, low, high):
    rng = np.random.default_rng(seed)
    total, between, last = 0, 0.0, None
    for i in range(n):  # native throughout
        last = rng.integers(low, high)
        total += last
        if i % 3 == 0:
            between += rng.random()
    return total, between, type(last).__name__, rng.integers(0, 1000), rng.bit_generator.state


most = 2**32 - 1
for low, high in ((0, 10), (-5, 6), (0, 1), (0, most), (0, 3 * 2**30), (7, 7 + 2**31), (0, 1000)):
    print(drawn(3, 1001, low, high))


def dice(seed, n):
    rng = np.random.default_rng(seed)
    thrown = np.zeros(n, dtype=int)
    for i in range(n):  # native throughout
        thrown[i] = rng.integers(6) + 1
    return thrown.sum(), thrown[:5], rng.random()


print(dice(1, 500))


def large(seed, n):
    rng = np.random.default_rng(seed)
    mixed = 0
    for _ in range(n):
        mixed ^= int(rng.integers(0, 2**40))
    return mixed, rng.random()


print(large(1, 50))


def empty(seed):
    rng = np.random.default_rng(seed)
    total = 0
    try:
        for i in range(10):
            total += rng.integers(0, 5 - i)
    except ValueError as error:
        return total, str(error), rng.random()


print(empty(1))

rng = np.random.default_rng(9)
spins = rng.choice([-1, 1], size=(16, 16))
energy = 0.0
for _ in range(4000):  # native throughout
    i = rng.integers(0, 16)
    j = rng.integers(0, 16)
    up, down = spins[(i + 1) % 16, j], spins[(i - 1) % 16, j]
    near = up + down + spins[i, (j + 1) % 16] + spins[i, (j - 1) % 16]
    change = 2 * spins[i, j] * near
    if change <= 0 or rng.random() < math.exp(-change / 2.3):
        spins[i, j] *= -1
        energy += change
print(energy, spins.sum(), type(i), rng.bit_generator.state)
