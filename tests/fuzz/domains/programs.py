"""Random loops of every kind: statements of chance, and nests as scientific scripts have them.

What is written may raise or warn, but does the same on every run; `fuzz/generator/` writes it.
Treatments rotate over the seeds, so that all of them, and all forms of nests, have their turn.
"""

from __future__ import annotations

import random

from differential import Treatment

from ..compared import JUDGE
from ..domain import Domain
from ..generator.functions import Function

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

# Forms of nests for tests, each as often as it is hard to get right.
FORMS = [
    "every",
    "wavefront",
    "distribution",
    "interchange",
    "rewritten",
    "scalar-replacement",
    "written",
    "induction-substitution",
    "index-set-splitting",
    "loop-versioning",
]


def script(seed: int, functions: int) -> str:
    rng = random.Random(seed)
    parts = [HEADER.format(seed=seed)]
    for number in range(functions):
        parts.append("\n".join(Function(number, rng).build()))
    return "\n\n".join(parts) + "\n"


def rotation(seed: int) -> list[Treatment]:
    """Two or three treatments; compiling is what takes the time, so few seeds have three."""
    turn = seed // 4
    form, other = f"{FORMS[turn % len(FORMS)]}:{seed}", FORMS[(turn + 4) % len(FORMS)]
    threads = (2, 5, 1)[turn % 3]
    free = ("auto", "quick", "together", "switch", "planned", "apart")[seed // 4 % 6]
    auto = Treatment(free, threads, "")
    cycle = [
        [Treatment("serial", 1, ""), Treatment("threads", threads, form)],
        [Treatment("threads", threads, ""), Treatment("interpreter", 1, "")],
        [Treatment("serial", 1, form), Treatment("threads", threads, other)],
        [Treatment("threads", threads, form), auto],
    ]
    return [*cycle[seed % 4], *([auto] if seed % 16 == 0 else [])]


DOMAIN = Domain("programs", "loops of every kind", script, JUDGE, 40, rotation)
