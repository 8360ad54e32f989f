"""Random loops that make lists, against CPython.

Lists are displays, repetitions, comprehensions and copies, of numbers and of rows. Names are given
them and each other's, before the loop, in it and in functions that it calls; elements are stored,
rows get names, and something raises now and then. Afterwards each list is changed in turn, which
shows which of them are one object.
"""

from __future__ import annotations

import random

from ..compared import JUDGE
from ..domain import Domain, of_functions

HEAD = """\
import numpy as np
def scaled(a, by):
    out = [0] * len(a)
    for k in range(len(a)):
        out[k] = a[k] * by
    return out
def bumped(a, k):
    a[k] += 1
    return a[k]
def first(a):
    return a[0]
def shifted(a):
    return [a[k - 1] for k in range(len(a))]
def same(a):
    return a
def shown(o):
    if isinstance(o, (list, tuple)):
        return type(o)([shown(p) for p in o])
    return type(o).__name__, o
"""

LISTS, GRIDS = ("a", "b", "c"), ("g", "h")
# What becomes of the arguments before a call.
CHANGES = (
    "b = a",
    "h = g",
    "a = g[0]",
    "xs = a",
    "g[0] = g[-1]",
    "a = a + [1]",
    "xs = tuple(xs)",
    "g[0] = [1]",
    "a[0] = None",
)


class Program:
    def __init__(self, number: int, rng: random.Random):
        self.function, self.rng = f"f{number}", rng
        self.lines: list[str] = []
        self.inner: list[str] = []
        self.loops = 0

    def pick(self, *of: str) -> str:
        return self.rng.choice(of)

    def list(self) -> str:
        return self.pick(*LISTS, *LISTS, "xs", f"{self.pick(*GRIDS)}[{self.place()}]", *self.inner)

    def place(self) -> str:
        return self.pick("0", "1", "-1", "i % 3", "2", *("j",) * (self.loops > 0), "n - 1")

    def number(self, depth: int) -> str:
        if depth > 0 and self.rng.random() < 0.05:
            return f"({self.new_list()})[{self.place()}]"
        if depth <= 0 or self.rng.random() < 0.3:
            return self.pick(
                "s", "0.5", "i", "2", "n", f"{self.list()}[{self.place()}]", f"len({self.list()})",
                f"{self.list()}[{self.place()}]", f"first({self.list()})",
            )  # fmt: skip
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * 0.25)", f"min({a}, {b})")

    def size(self) -> str:
        return self.pick("n", "n", "n", "len(a)", "len(xs)", "n + 1", "3", "len(g[0])")

    def new_list(self) -> str:
        k = f"k{self.rng.randrange(100)}"
        element = self.pick(
            k, f"{self.list()}[{k}]", f"{self.list()}[{k}] + {self.number(0)}", self.number(1)
        )
        return self.pick(
            f"[{self.number(0)}] * {self.size()}", f"[0] * {self.size()}", f"{self.size()} * [0.0]",
            f"[{element} for {k} in range({self.size()})]", f"{self.list()}[:]",
            f"[{k} * 2 for {k} in {self.list()}]", f"list({self.list()})", f"{self.list()}.copy()",
            f"[{self.number(1)}, {self.number(1)}, {self.number(0)}]",
            f"scaled({self.list()}, {self.number(0)})", f"shifted({self.list()})",
            f"same({self.list()})", f"list(range({self.size()}))", f"{self.list()}[1:]",
            f"{self.list()}[{self.pick('', '1', '-2', 'n', 'm')}:{self.pick('', '-1', 'n', '2')}]",
            f"[{k} for {k} in {self.list()} if {k} > {self.number(0)}]",
        )  # fmt: skip

    def new_grid(self) -> str:
        k, r = f"k{self.rng.randrange(100)}", f"r{self.rng.randrange(100)}"
        return self.pick(
            f"[[0] * {self.size()} for {k} in range(n)]",
            f"[{r}[:] for {r} in {self.pick(*GRIDS)}]",
            f"[[0.5 * {k} + {r} for {k} in range(n)] for {r} in range(n)]",
            f"[list({r}) for {r} in {self.pick(*GRIDS)}]", f"[[i, 1, 2] for {k} in range(n)]",
        )  # fmt: skip

    def statement(self, depth: int, deeper: int) -> None:
        indent, kind = "    " * depth, self.rng.random()
        line = None
        if kind < 0.3 or not deeper:
            value = self.number(2)
            line = self.pick(
                f"s += {value}", f"s = s * 0.5 + {value}",
                f"{self.list()}[{self.place()}] = {value}",
                f"{self.list()}[{self.place()}] += {value}",
                f"{self.pick(*LISTS)}[{self.place()}] = {value}",
                f"s += bumped({self.list()}, {self.place()})",
            )  # fmt: skip
        elif kind < 0.55:
            line = f"{self.pick(*LISTS)} = {self.new_list()}"
        elif kind < 0.63:
            line = f"{self.pick(*GRIDS)} = {self.new_grid()}"
        elif kind < 0.7:
            grid = self.pick(*GRIDS)
            line = self.pick(
                f"{self.pick(*LISTS)} = {self.list()}",
                "a, b = b, a",
                f"a, b = b, {self.new_list()}",
                "g, h = h, g",
                f"g = {grid}",
                f"row = {grid}[{self.place()}]",
                f"a = {grid}[{self.place()}]",
            )
            if line.startswith("row"):
                self.inner.append("row")
        elif kind < 0.8:
            self.lines.append(f"{indent}if {self.number(1)} > {self.number(0)}:")
            self.block(depth + 1, deeper - 1)
            return
        else:
            return self.loop(depth, deeper)
        self.lines.append(indent + line)

    def loop(self, depth: int, deeper: int) -> None:
        indent = "    " * depth
        before, self.loops = list(self.inner), self.loops + 1
        form = self.rng.randrange(4)
        if form == 0:
            head = f"for j in range({self.pick('n', 'len(a)', '3', '1, n')}):"
        elif form == 1:
            new = self.new_list() if self.rng.random() < 0.2 else self.list()
            head = f"for j, x in enumerate({new}):"
        elif form == 2:
            head = f"for j in range({self.pick('n', '2')}):"
        else:
            head = f"for j, row in enumerate({self.pick(*GRIDS)}):"
            self.inner += ["row", "row"]
        self.lines.append(f"{indent}{head}")
        self.block(depth + 1, deeper - 1)
        self.inner, self.loops = before, self.loops - 1

    def block(self, depth: int, deeper: int) -> None:
        before = list(self.inner)
        for _ in range(self.rng.randrange(1, 4)):
            self.statement(depth, deeper)
        self.inner = before

    def build(self) -> list[str]:
        self.lines = [f"def {self.function}(a, b, c, g, h, xs, m, n):", "    s, i = 0.5, 0"]
        if self.rng.random() < 0.4:
            name = self.pick(*LISTS)
            self.lines.append(f"    {name} = [0] * n")
        self.lines.append("    try:")
        self.lines.append(f"        for i in range({self.pick('m', 'm', '1, m', 'len(xs)')}):")
        self.block(3, 3)
        self.lines.append("    except Exception as error:")
        self.lines.append("        s = type(error).__name__, str(error)")
        self.lines.append("    return s, i, a, b, c, g, h, xs")
        for _ in range(3):
            value = [self.pick("k", "k * 0.5", "3 - k", "k % 2 == 0") for _ in range(6)]
            n = self.pick("3", "3", "4", "1")
            made = ", ".join(f"[{v} for k in range({n})]" for v in value[:3])
            grids = ", ".join(
                f"[[{v} + r for k in range({n})] for r in range({n})]" for v in value[3:5]
            )
            changed = self.pick(*["pass"] * 4, *CHANGES)
            m = self.pick("0", "1", "5", "5", "9")
            self.lines += [
                f"a, b, c = {made}",
                f"g, h = {grids}",
                f"xs, n, m = [{value[5]} for k in range({n})], {n}, {m}",
                f"try: {changed}",
                "except Exception as error: print(type(error))",
                f"got = {self.function}(a, b, c, g, h, xs, m, n)",
                "print(shown(got), shown((a, b, c, g, h, xs)))",
                "for k, o in enumerate(got):",
                "    if isinstance(o, list) and o:",
                "        if isinstance(o[0], list): o[0][0] = 100 + k",
                "        else: o[0] = 100 + k",
                "print(shown(got), shown((a, b, c, g, h, xs)))",
            ]
        return self.lines


DOMAIN = Domain("lists", "loops that make lists", of_functions(HEAD, Program), JUDGE)
