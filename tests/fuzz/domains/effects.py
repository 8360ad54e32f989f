"""Random loops whose expressions call what changes their own operands.

Objects whose methods assign attributes and store elements, functions that see variables of the one
around them, calls in operands that may not be evaluated, in subscripts, conditions and headers of
loops: everything in the order that CPython has.
"""

from __future__ import annotations

import random

from ..compared import JUDGE
from ..domain import Domain, of_functions

HEAD = """\
import numpy as np
class Inner:
    def __init__(self):
        self.depth = 1
    def sink(self, k):
        self.depth = (self.depth * 3 + k) % 11
        return self.depth
class Thing:
    def __init__(self, array):
        self.i, self.j, self.x = 2, 1, 0.5
        self.row = array([3, 1, 4, 1, 5, 9, 2, 6])
        self.inner = Inner()
    def step(self):
        self.i += 1
        return self.i
    def add(self, k):
        self.j = (self.j + k) % 13
        return self.j - 4
    def both(self, k):
        self.i, self.j = self.j, (self.i + k) % 17
        return self.i
    def scale(self, y):
        self.x = self.x * 0.75 + y % 3
        return self.x
    def put(self, k):
        self.row[self.i % 8] = k % 50
        self.i = (self.i + 1) % 100
        return self.row[self.j % 8]
    def deep(self, k):
        if k % 3 == 0:
            return self.inner.sink(k)
        self.j = k % 5
        return self.inner.depth
def least(a, b=3):
    return a if a < b else b
def bump(row, k):
    row[k % 8] += 1
    return row[(k + 1) % 8]
def shown(o):
    attributes = vars(o).items()
    return [(n, v.depth if n == "inner" else list(v) if n == "row" else v) for n, v in attributes]
"""

INTS = ("o.i", "o.j", "k", "n", "o.inner.depth", "7", "2", "o.row[o.i % 8]", "a[k % 8]", "t")
CALLS = (
    "o.step()",
    "o.add({})",
    "o.both({})",
    "o.put({})",
    "o.deep({})",
    "o.inner.sink({})",
    "bump(a, {})",
    "bump(o.row, {})",
    "least({}, o.step())",
    "least(b={}, a=o.add(2))",
)


class Program:
    """One function, and what is printed of it."""

    def __init__(self, number: int, rng: random.Random):
        self.name, self.rng = f"f{number}", rng
        self.lines: list[str] = []

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def number(self, depth: int) -> str:
        """An int."""
        if depth == 0:
            return self.pick(*INTS)
        a, b = self.number(depth - 1), self.number(self.rng.randrange(depth))
        return self.pick(
            f"({a} + {b})",
            f"({a} - {b})",
            f"({a} * {b}) % 101",
            f"({a} if {self.condition(depth - 1)} else {b})",
            f"({a} and {b})",
            f"({a} or {b})",
            f"max({a}, {b})",
            f"abs({a})",
            f"(-{a})",
            f"int({self.condition(depth - 1)})",
            f"a[({a}) % 8]",
            f"divmod({a}, 7)[1]",
            self.call(depth),
            self.call(depth),
            self.call(depth),
        )

    def call(self, depth: int) -> str:
        return self.pick(*CALLS).format(self.number(depth - 1))

    def condition(self, depth: int) -> str:
        a, b, c = (self.number(self.rng.randrange(depth + 1)) for _ in range(3))
        return self.pick(
            f"{a} < {b}",
            f"{a} % 3 == {b} % 3",
            f"{a} < {b} <= {c}",
            f"({a} > 2 and {b} % 2)",
            f"({a} % 2 or {b} > 5)",
            f"not {a} % 4",
        )

    def target(self) -> str:
        index = self.number(self.rng.randrange(3))
        return self.pick(
            "t", "t", "o.i", "o.j", f"a[({index}) % 8]", "a[o.i % 8]", "o.row[o.j % 8]"
        )

    def statement(self, depth: int, inside: int) -> None:
        indent = "    " * depth
        value = self.number(self.rng.randrange(1, 4))
        kind = self.rng.randrange(12)
        if kind < 4:
            self.lines.append(f"{indent}{self.target()} {self.pick('+', '-', '^')}= ({value}) % 97")
        elif kind < 7:
            self.lines.append(f"{indent}{self.target()} = ({value}) % 97")
        elif kind == 7:
            other = self.number(2)
            self.lines.append(f"{indent}t, o.j = ({value}) % 97, ({other}) % 13")
        elif kind == 8:
            self.lines.append(
                f"{indent}x += o.scale({value}) - o.x * {self.pick('x', '0.5', 'o.i')}"
            )
        elif kind == 9:
            self.lines.append(f"{indent}out.append({self.pick(value, f'({value}, o.x)')})")
        elif kind == 10 and inside:
            self.lines.append(f"{indent}if {self.condition(2)}:")
            self.statement(depth + 1, inside - 1)
            if self.rng.random() < 0.4:
                self.lines.append(f"{indent}else:")
                self.statement(depth + 1, inside - 1)
        elif inside:
            header = self.pick("o.step() % 4", f"({self.number(1)}) % 3", "2, 4")
            self.lines.append(f"{indent}for m in range({header}):")
            self.statement(depth + 1, inside - 1)
        else:
            self.lines.append(f"{indent}{self.call(1)}")

    def build(self) -> list[str]:
        self.lines = [f"def {self.name}(o, a, n):", "    t, x, out = 1, 0.25, []"]
        if self.rng.random() < 0.2:
            self.lines.append(f"    seen = lambda y: y + {self.pick('t', 'n', 'o.i')}")
            extra = "        t = (t + seen(k)) % 89"
        else:
            extra = None
        if self.rng.random() < 0.15:
            self.lines += ["    k = 0", "    while k < n and o.add(k) > -9:", "        k += 1"]
        else:
            bound = self.pick("n", "n", "n", "o.i % 4, n", "o.step() % 9")
            self.lines.append(f"    for k in range({bound}):")
        self.lines += [extra] if extra else []
        for _ in range(self.rng.randrange(1, 5)):
            self.statement(2, 2)
        if self.rng.random() < 0.2:
            self.lines.append(f"        if {self.condition(2)} and t > 90: break")
        self.lines.append("    return t, x, out[:40], len(out)")
        for array in ("list", "np.array"):
            self.lines += [
                f"o, a = Thing({array}), {array}([2, 7, 1, 8, 2, 8, 1, 8])",
                "try:",
                f"    print({self.name!r}, {self.name}(o, a, 12), {self.name}(o, a, 30))",
                "except Exception as error:",
                f"    print({self.name!r}, type(error), error)",
                "print(shown(o), list(a))",
            ]
        return self.lines


DOMAIN = Domain(
    "effects",
    "expressions whose calls change what is read beside them",
    of_functions(HEAD, Program),
    JUDGE,
)
