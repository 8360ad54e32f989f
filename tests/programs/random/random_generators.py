"""Numbers of `np.random.default_rng()` in loops: the same ones, and the same state behind them."""

import numpy as np
from numpy.random import MT19937, PCG64, PCG64DXSM, Generator
from showing import show

shared = np.random.default_rng(17)


def pi(rng, n):
    inside = 0
    for _ in range(n):  # native throughout
        x, y = rng.random(), rng.random()
        inside += x * x + y * y <= 1.0
    return 4 * inside / n


def of_module(n):
    s = 0.0
    for i in range(n):  # native
        s += shared.random() - shared.uniform(-0.5, i + 1)
    return s


def stored(rng, a):
    for i in range(a.shape[0]):  # native
        for j in range(a.shape[1]):
            if rng.random() < 0.25:
                a[i, j] = rng.uniform(low=2, high=np.float32(2.5))
    return a


class Walk:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.x = 0.0

    def run(self, n):
        for _ in range(n):  # native
            self.x += self.rng.random() - 0.5
        return self.x


def other(rng, n):
    s = 0.0
    for _ in range(n):
        s = s * 0.5 + rng.random()
    return s


def between(rng, low, high):
    x = 0.0
    for _ in range(3):
        x += rng.uniform(low, high)
    return x


def sized(rng, n):
    s = 0.0
    for _ in range(n):
        s += rng.random(3).sum() + rng.random(dtype=np.float32)
    return s


for seed in (0, 1, 2**64 + 5):
    rng = np.random.default_rng(seed)
    show("pi", pi(rng, 500), rng.bit_generator.state["state"]["state"] % 2**61)
show("module", of_module(300), shared.random())
rng = np.random.default_rng(9)
show("stored", stored(rng, np.zeros((5, 6))).tolist(), rng.integers(0, 100, 3).tolist())
walk = Walk(4)
show("walk", walk.run(40), walk.run(0), walk.run(41))
for bits in (PCG64(3), PCG64DXSM(3), MT19937(3), np.random.SFC64(3), PCG64(3).jumped()):
    show("other", other(Generator(bits), 30))
for low, high in ((0.0, 1.0), (1, 1), (2.0, 1.0), (0.0, np.inf), (-1e308, 1e308), (-0.0, 0.0)):
    try:
        show("between", between(rng, low, high))
    except (OverflowError, ValueError) as error:
        show(str(error))
show("sized", sized(rng, 4), rng.random())
