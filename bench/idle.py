"""What a call of a handled function costs beyond plain CPython's where the nest gains nothing.

    python bench/idle.py [--rounds 60] [--only WORD]

Every situation calls one function with the same arguments twice over: as it is handled, and as it
was. Its loop has one iteration (or none that CPython would notice), so what is left is the hook.
Figures are the least of many short rounds, all situations in turn, in nanoseconds a call.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import nestwise
import numpy as np

SOURCE = """\
import math

def add(a, b, c, d, n):
    for i in range(n):
        d[i] = a[i] * b[i] + c[i]

def copy(a, d, n):
    for i in range(n):
        d[i] = a[i]

def scale(obj, d, n):
    for i in range(n):
        d[i] = d[i] * obj.factor

def missing(d, n):
    for i in range(n):
        if i > 10:
            d[i] = absent_name

def grow(s, n):
    for i in range(n):
        s = s * 3
    return s

def over(xs):
    s = 0.0
    for x in xs:
        s += x
    return s
"""

PLAIN: dict[str, Any] = {}
HANDLED: dict[str, Any] = {}


class Situation(NamedTuple):
    name: str
    function: str
    arguments: tuple
    around: Callable[[], contextlib.AbstractContextManager] = contextlib.nullcontext
    # Calls that make the site what the situation says it is.
    before: Callable[[Any], object] = lambda function: None
    # A function object of its own: what one situation teaches a site is nothing to the next.


class _Sub(np.ndarray):
    pass


class _Property:
    @property
    def factor(self) -> float:
        return 1.0


@contextlib.contextmanager
def traced() -> Iterator[None]:
    sys.settrace(lambda *_: None)
    try:
        yield
    finally:
        sys.settrace(None)


@contextlib.contextmanager
def profiled() -> Iterator[None]:
    sys.setprofile(lambda *_: None)
    try:
        yield
    finally:
        sys.setprofile(None)


def ones(n: int = 1, dtype: Any = np.float64) -> np.ndarray:
    return np.ones(n, dtype)


def read_only() -> np.ndarray:
    a = ones()
    a.flags.writeable = False
    return a


def many_types(function: Any) -> None:
    """More signatures than a site keeps plans for."""
    kinds = ("f8", "f4", "i8", "i4", "i2", "i1", "u1", "u2")
    for x in kinds:
        for y in kinds[:3]:
            big = np.ones(2000, x)
            for _ in range(2):
                function(big, np.ones(2000, x), np.ones(2000, y), np.ones(2000, "f8"), 2000)


def large(function: Any) -> None:
    function(*(ones(200_000) for _ in range(4)), 200_000)


def situations() -> list[Situation]:
    four = tuple(ones(64) for _ in range(4))
    one = tuple(ones() for _ in range(4))
    objects = np.array([1.0], dtype=object)
    floats = [1.0]
    return [
        Situation("kernel cached, 64 iterations", "add", (*four, 64), before=large),
        Situation("below its threshold", "add", (*one, 1), before=large),
        Situation("array of objects", "add", (objects, *one[1:], 1)),
        Situation("byte-swapped array", "add", (ones(1, ">f8"), *one[1:], 1)),
        Situation("subclass of ndarray", "add", (ones().view(_Sub), *one[1:], 1)),
        Situation("unaligned array", "add", (_unaligned(), *one[1:], 1)),
        Situation("list of other objects", "add", ([Fraction(1)], *one[1:], 1)),
        Situation("list of ints and floats", "over", ([1.0, 2],)),
        Situation("list of floats and None", "copy", ([1.0, None], ones(), 1)),
        Situation("tuple of texts", "copy", (("1",), [""], 1)),
        Situation("dictionary", "add", ({0: 1.0}, *one[1:], 1)),
        Situation("int beyond 64 bits", "grow", (1 << 70, 1)),
        Situation("int that leaves 64 bits", "grow", (1 << 61, 3)),
        Situation("read-only array", "copy", (ones(), read_only(), 0)),
        Situation("unbound name", "missing", (ones(), 1)),
        Situation("property", "scale", (_Property(), ones(), 1)),
        Situation("one iteration, small list", "over", (floats,)),
        Situation("too many signatures", "add", (*one[:3], ones(1, "f4"), 1), before=many_types),
        Situation("trace function set", "add", (*four, 64), traced),
        Situation("profile function set", "add", (*four, 64), profiled),
        Situation("errstate asks for underflows", "add", (*four, 64), _underflow),
        Situation("errstate ignores all", "add", (*four, 64), _ignored, large),
    ]


def _underflow() -> contextlib.AbstractContextManager:
    return np.errstate(under="warn")


def _ignored() -> contextlib.AbstractContextManager:
    return np.errstate(all="ignore")


def _unaligned() -> np.ndarray:
    return np.zeros(9, np.uint8)[1:].view(np.float64)


def load(folder: str, name: str, handled: bool) -> dict[str, Any]:
    """The functions, from a file of their own: sites belong to files."""
    path = os.path.join(folder, f"{name}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SOURCE)
    names: dict[str, Any] = {"__name__": name, "__file__": path}
    exec(compile(SOURCE, path, "exec", dont_inherit=True), names)
    if handled:
        for key, value in list(names.items()):
            if callable(value) and getattr(value, "__module__", None) == name:
                names[key] = nestwise.jit(value)
    return names


REPEATS = 300


def seconds(function: Any, arguments: tuple) -> float:
    """Of one call; the loop around it is unrolled, since it would be a good part."""
    turns = range(REPEATS // 10)
    begun = time.perf_counter()
    for _ in turns:
        function(*arguments)
        function(*arguments)
        function(*arguments)
        function(*arguments)
        function(*arguments)
        function(*arguments)
        function(*arguments)
        function(*arguments)
        function(*arguments)
        function(*arguments)
    return (time.perf_counter() - begun) / REPEATS


def measure(rounds: int, only: str) -> dict[str, float]:
    chosen = [s for s in situations() if only in s.name]
    best = {s.name: [1.0, 1.0, 1.0] for s in chosen}
    with tempfile.TemporaryDirectory() as folder:
        pairs = {}
        nothing = load(folder, "nothing", False)
        for k, s in enumerate(chosen):
            plain = load(folder, f"plain{k}", False)[s.function]
            handled = load(folder, f"handled{k}", True)[s.function]
            s.before(handled)
            pairs[s.name] = (handled, plain)
        empty = nothing["copy"]
        gc.disable()
        for _ in range(rounds):
            for s in chosen:
                with s.around():
                    for k, function in enumerate((*pairs[s.name], empty)):
                        arguments = s.arguments if k < 2 else (None, None, 0)
                        taken = seconds(function, arguments)
                        best[s.name][k] = min(best[s.name][k], taken)
        gc.enable()
    return {name: (b[0] - b[1]) * 1e9 for name, b in best.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    for name, extra in measure(arguments.rounds, arguments.only).items():
        print(f"{name:32} {extra:8.0f} ns a call over plain")


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    main()
