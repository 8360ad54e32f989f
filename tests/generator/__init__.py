"""Random loop programs: valid, terminating, deterministic, full of edges.

A *program* is one function with loops, and calls of it; a script holds many. Csmith's and YARPGen's
idea, with nondeterminism in the place of undefined behaviour: whatever is written may raise or
warn, but it does the same on every run. Half of the functions are random statements
(statements.py), half are nests of the kinds that scientific scripts have with random parts
(idioms.py, more_idioms.py). functions.py says what stands around them, arguments.py what they are
called with: first with types that a nest can have natively and mostly usual values, so that a
kernel runs; then with values at the edges of these types somewhere behind the first elements, and
with other types.
"""

from __future__ import annotations

import random

from .functions import Function

HEADER = '''"""Random loop programs, seed {seed}."""

import contextlib
import functools
import math
from array import array

import numpy as np
from showing import attempt, show


def data(shape, dtype, seed, odd=0, behind=0.35):
    """Small numbers; behind that part of it, `odd` elements at the edges of the type."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    a = rng.integers(0 if kind in "ub" else -5, 2 if kind == "b" else 12, shape).astype(dtype)
    if kind in "fc":
        a *= np.array(0.37 if seed % 3 else 0.5, dtype)
    if odd and a.size:
        if kind in "iu":
            info = np.iinfo(dtype)
            some = [info.min, info.max, info.max - 1, 0, info.max // 2 + 1]
        elif kind == "b":
            some = [True, False]
        else:
            info = np.finfo(dtype)
            some = [np.nan, np.inf, -np.inf, -0.0, 0.0, info.max, info.smallest_subnormal, 1e19]
        first = min(int(behind * a.size), a.size - 1)
        a.flat[rng.integers(first, a.size, odd)] = rng.choice(np.array(some, dtype), odd)
    return a


def twice(a):
    """Every element twice along the first axis: room for views of it."""
    return np.repeat(a, 2, axis=0)


def inner(a):
    """The same elements in the middle of a longer array."""
    return np.concatenate((a[:1], a, a[:1]))[1 : 1 + len(a)]


def repeated(a):
    """One row for all: stride 0, writable."""
    return np.lib.stride_tricks.as_strided(a, a.shape, (0, *a.strides[1:])) if a.size else a


def readonly(a):
    a.flags.writeable = False
    return a


def swapped(a):
    return a.astype(a.dtype.newbyteorder())


def unaligned(a):
    b = np.zeros(a.nbytes + 1, np.uint8)[1:].view(a.dtype).reshape(a.shape)
    b[...] = a
    return b


def mixed(values):
    """A list of elements of several types."""
    return [v if k % 3 else float(v) if k % 2 else bool(v) for k, v in enumerate(values)]


def drained(function):
    """What a generator function gives, all of it."""

    @functools.wraps(function)
    def drain(*arguments):
        return list(function(*arguments))

    return drain


def helper(x, y):
    if x > y:
        return x - y
    return x + 2 * y


def weight(x, k=3):
    t = x * k
    return t if t > 0 else -t + 1


def total(values):
    s = 0
    for v in values:
        s = s + v
    return s


class Holder:
    def __init__(self, t, m):
        self.t = t
        self.m = m


class Guard:
    """Takes note of what is raised inside, and swallows some of it."""

    def __init__(self, swallows):
        self.swallows = swallows
        self.seen = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.seen = kind and kind.__name__
        return self.swallows
'''


def script(seed: int, functions: int = 15) -> str:
    """The text of one script of `functions` programs."""
    rng = random.Random(seed)
    parts = [HEADER.format(seed=seed)]
    for number in range(functions):
        parts.append("\n".join(Function(number, rng).build()))
    return "\n\n".join(parts) + "\n"
