"""Rebound builtins, patched modules, functions that change under a loop."""

import builtins
import math

import numpy as np
from showing import attempt, show


def uses_abs(a):
    s = 0
    for x in a:  # native
        s += abs(x)
    return s


def uses_range(n):
    s = 0
    for i in range(n):  # native
        s += i
    return s


def uses_len(a):
    s = 0
    for i in range(len(a)):  # native
        s += len(a)
    return s


def uses_sin(a):
    s = 0.0
    for x in a:  # native
        s += math.sin(x)
    return s


def uses_numpy(a):
    s = 0.0
    for x in a:  # native
        s += np.sqrt(x)
    return s


def uses_min(a):
    s = 0
    for x in a:  # native
        s += min(x, 2)
    return s


def helper(x):
    return x + 1


def uses_helper(a):
    s = 0
    for x in a:  # native
        s += helper(x)
    return s


FACTOR = 2


def uses_constant(a):
    s = 0
    for x in a:  # native
        s += x * FACTOR
    return s


def uses_pi(a):
    s = 0.0
    for x in a:  # native
        s += x * math.pi
    return s


class Model:
    k = 3

    def weight(self, x):
        return x * self.k

    def run(self, a):
        s = 0
        for x in a:
            s += self.weight(x)
        return s


l = [3, -1, 4, -1, 5]
f = [0.5, 1.5, 2.5]


def everything(when):
    show(when, uses_abs(l), uses_range(5), uses_len(l), uses_sin(f), uses_numpy(f), uses_min(l))
    show(when, uses_helper(l), uses_constant(l), uses_pi(f), Model().run(l))


everything("plain")

abs = lambda x: x * 10  # noqa: E731, A001
everything("abs")
del abs

builtins.abs, kept = (lambda x: -x), builtins.abs
everything("builtins.abs")
builtins.abs = kept

range = lambda n: [7, 8, 9]  # noqa: E731, A001
everything("range")
del range


def len(x):  # noqa: A001
    return 2


everything("len")
del len

kept = math.sin
math.sin = lambda x: x + 0.25
everything("math.sin")
math.sin = kept

kept = np.sqrt
np.sqrt = lambda x: x * 2
everything("np.sqrt")
np.sqrt = kept

min = max  # noqa: A001
everything("min")
del min


def helper(x):  # noqa: F811
    return x * 100


everything("helper")
helper.__code__ = (lambda x: x - 1).__code__
everything("helper code")
helper.__defaults__ = (1,)
FACTOR = 0.5
everything("factor")
FACTOR = np.float32(0.5)
everything("factor")
math.pi = 3
everything("pi")
math.pi = 3.141592653589793
Model.k = 0.25
everything("model")
Model.weight = lambda self, x: x + 1000
everything("method")


class Counting:
    calls = 0

    def __call__(self, x):
        Counting.calls += 1
        return x


helper = Counting()
everything("callable")
show("calls", Counting.calls)
helper = "not callable"
attempt(uses_helper, l)
del helper
attempt(uses_helper, l)
show("empty", uses_helper([]))
