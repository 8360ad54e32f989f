"""Random loops over tuples that names hold, and functions that are handed to functions.

Names are read before they are assigned, assigned under conditions, handed on, and given by
functions; they begin as tuples of floats, ints and other things, of other lengths, and as no
tuples: values, types and errors have to be CPython's.
"""

from __future__ import annotations

import random

from ..compared import JUDGE
from ..domain import Domain, of_functions

HEAD = """\
import math
import numpy as np
def swap(y):
    return y[1], y[0]
def turn(t, y):
    return y[1] * 0.5, t - y[0]
def add(a, b):
    p, q = a
    return (p + b[0], q + b[1])
def scale(y, s=0.5):
    low, high = s * y[0], s * y[1]
    return low, high
def branch(y):
    if y[0] > y[1]:
        return y
    return y[1], y[0] + 1.0
def capped(y, most=100.0):
    if y[0] > most:
        return most, y[1]
    z = (y[0], most)
    return z[0], min(z[1], y[1])
def through(y):
    z = scale(y, 0.25)
    return add(z, y)
def triple(x):
    return x, x + 1, x * 2
def changed(y):
    y = (y[1], y[0])
    return y[0] - y[1]
def first(y):
    return y[0] * 0.5
def half(x):
    return x * 0.5
def shifted(x, by=1.0):
    return x - by
def apply(f, y):
    return f(y)
def applied(f, t, y):
    return f(t, y)
def twice(f, g, x):
    return f(g(x)) - g(f(x))
def slope(f, x, h=0.25):
    return (f(x + h) - f(x - h)) / (2.0 * h)
def chosen(f, x):
    if x > 1.0:
        f = half
    return f(x)
def shown(v):
    if isinstance(v, np.ndarray):
        return "array", v.dtype.str, v.tolist()
    if isinstance(v, (tuple, list)):
        return type(v).__name__, [shown(x) for x in v]
    return type(v).__name__, "nan" if v != v else repr(v)
"""

STARTS = (
    *("(0.5, -1.25)", "(1.0, 2.0)", "(0.5, -1.25)", "(3, 4)", "(1, 2.5)", "(2.5, 1)"),
    *("(True, 2)", "(np.float64(0.5), 1.5)", "(2**62, 3)", "(2**70, 1)", "(1.0, 2.0, 3.0)"),
    *("(1.0,)", "[1.0, 2.0]", "np.array([0.5, 1.5])", "(1.0, None)", "(float('nan'), 0.0)"),
)


class Program:
    """One function, and what is printed of it."""

    def __init__(self, number: int, rng: random.Random):
        self.function, self.rng = f"f{number}", rng
        self.lines: list[str] = []
        self.own: list[str] = []

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def name(self) -> str:
        return self.pick("y", "y", "z", *self.own)

    def number(self, depth: int = 1) -> str:
        n = self.name()
        if depth == 0:
            item = self.pick("0", "1", "-1", "0")
            return self.pick(f"{n}[{item}]", f"{n}[{item}]", "s", "i", "0.5", "t", "2")
        x, y = self.number(depth - 1), self.number(0)
        f, g = self.pick(*FUNCTIONS), self.pick(*FUNCTIONS)
        return self.pick(
            *(f"({x} + {y})", f"({x} - {y})", f"{x} * 0.5", f"({x} * 0.25 - {y})", f"-{x}"),
            *(f"slope({f}, {x})", f"twice({f}, g={g}, x={x})", f"apply(first, {n})"),
            *(f"min({x}, {y})", f"{f}({x})", self.rare(f"chosen({f}, {x})", f"changed({n})")),
        )

    def rare(self, *odd: str) -> str:
        """What keeps a loop in CPython, now and then."""
        return self.pick(*odd) if self.rng.random() < 0.1 else "s"

    def state(self) -> str:
        n, m = self.name(), self.name()
        pair = f"({self.number()}, {self.number(self.rng.randrange(2))})"
        given = self.pick(n, n, pair)
        return self.pick(
            *(pair, pair, pair, f"swap({given})", f"turn(t, {given})", f"add({n}, {m})"),
            *(f"scale({given})", f"scale({n}, s={self.number(0)})", f"branch({given})"),
            *(f"through({n})", f"apply(swap, {given})", f"applied(turn, i, {given})"),
            *(f"add({m}, b=scale({n}, 0.125))", f"capped({n}, most=8.0)", f"capped(y={given})"),
        )

    def statement(self, depth: int, inside: int) -> None:
        indent = "    " * depth
        kind = self.rng.randrange(16)
        if kind < 6:
            self.lines.append(f"{indent}{self.pick('y', 'y', 'z')} = {self.state()}")
        elif kind == 6:
            name = self.pick("d", "e")
            self.lines.append(f"{indent}{name} = {self.state()}")
            self.own += [name] if name not in self.own else []
        elif kind == 7:
            self.lines.append(f"{indent}p, q = {self.pick(self.name(), self.state())}")
            self.lines.append(f"{indent}s = s * 0.5 + p - q")
        elif kind == 8:
            self.lines.append(f"{indent}p, q, r = triple({self.number(0)})")
            self.lines.append(f"{indent}w = triple({self.number(0)})")
            self.lines.append(f"{indent}s -= q - r + w[{self.pick('0', '1', '2', '-1', '-2')}]")
        elif kind == 9 and self.rng.random() < 0.3:
            odd = self.pick("z = y", f"s += len({self.name()})", "y = y + ()", "z = swap(y)[::-1]")
            self.lines.append(f"{indent}{odd}")
        elif kind < 12 and inside:
            test = self.pick("i % 3 == 1", f"{self.number(0)} > {self.number(0)}", "s < 2.0")
            self.lines.append(f"{indent}if {test}:")
            self.nested(depth + 1, inside - 1)
            if self.rng.random() < 0.4:
                self.lines.append(f"{indent}else:")
                self.nested(depth + 1, inside - 1)
        elif kind == 12 and inside:
            self.lines.append(f"{indent}for j in range({self.pick('2', '3', 'i')}):")
            self.nested(depth + 1, inside - 1)
        else:
            self.lines.append(f"{indent}s = s * 0.5 + {self.number(2)}")
            self.lines.append(f"{indent}t += 0.125")

    def nested(self, depth: int, inside: int) -> None:
        own = list(self.own)
        for _ in range(self.rng.randrange(1, 3)):
            self.statement(depth, inside)
        self.own = own

    def build(self) -> list[str]:
        self.lines = [f"def {self.function}(y, z, n):", "    s, t, i = 0.25, 0.0, 0"]
        self.lines.append(f"    for i in range({self.pick('n', 'n', '1, n')}):")
        for _ in range(self.rng.randrange(1, 5)):
            self.statement(2, 2)
        rest = "".join(f", {name}" for name in self.own)
        self.lines.append(f"    return s, t, i, y, z{rest}")
        for _ in range(4):
            y = self.pick(*STARTS[:3], *STARTS)
            z = self.pick(*STARTS[:3], *STARTS)
            self.lines += [
                f"y, z = {y}, {z}",
                "try:",
                f"    got = {self.function}(y, z, {self.pick('0', '1', '7', '7', '9')})",
                "    print(shown(got))",
                "except Exception as error:",
                "    print(type(error), error)",
            ]
        return self.lines


FUNCTIONS = ("half", "shifted", "math.floor", "abs", "float", "half", "shifted")


DOMAIN = Domain(
    "states",
    "tuples that names hold, and functions handed to functions",
    of_functions(HEAD, Program),
    JUDGE,
)
