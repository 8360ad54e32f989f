"""Draws without a native form come from the program's own generator, in program order, each once."""

import numpy as np
from showing import attempt, show


def of_numpy(n):
    x = 0.0
    for i in range(n):  # native
        for j in range(10):
            x = x * 0.99 + 0.01 * j
        x += np.random.normal(0.0, 0.5)
        if x > 3:
            x -= np.random.exponential(2.0)
    return x


def of_a_generator(n, rng):
    x = 0.0
    k = 0
    for i in range(n):  # native
        for j in range(10):
            x = x * 0.99 + 0.01 * j
        x += rng.normal() * 0.5 + rng.standard_normal()
        k += rng.poisson(3.0)
    return x, k


def of_a_state(n, state):
    x = 0.0
    for i in range(n):  # native
        for j in range(10):
            x = x * 0.99 + 0.01 * j
        x += state.randn() + state.binomial(10, 0.5)
    return x


def beside_native_draws(n):
    x = 0.0
    for i in range(n):
        x += np.random.rand()
        x -= np.random.standard_normal()
    return x


def fails_between(n, a):
    x = 0.0
    for i in range(n):  # native
        for j in range(10):
            x = x * 0.99 + 0.01 * j
        x += np.random.normal()
        x += a[i]
        x += np.random.normal()
    return x


def of_a_bad_width(n, rng):
    x = 0.0
    for i in range(n):  # native
        for j in range(10):
            x = x * 0.99 + 0.01 * j
        x += rng.normal(0.0, 100.0 - i)
    return x


def of_a_name_that_is_none(n, rng):
    x = 0.0
    for i in range(n):
        for j in range(10):
            x = x * 0.99 + 0.01 * j
        x += rng.randn()
    return x


np.random.seed(3)
show("numpy", of_numpy(3000), np.random.rand())
show("generator", of_a_generator(3000, np.random.default_rng(5)))
show("state", of_a_state(3000, np.random.RandomState(5)))
show("beside", beside_native_draws(1000), np.random.rand())
attempt(fails_between, 1000, [1.0] * 500)
show("after", np.random.rand())
rng = np.random.default_rng(8)
attempt(of_a_bad_width, 1000, rng)
show("after", rng.random())
attempt(of_a_name_that_is_none, 100, rng)
