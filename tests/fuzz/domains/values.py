"""Random comprehensions outside of loops, against CPython.

List comprehensions and `sum`, `min`, `max`, `any` and `all` of generator expressions, one in the
other, over ranges, lists, rows, arrays, `zip` and `enumerate`, with conditions and over several
iterables, of numbers of all types; some raise. Afterwards lists that came of it are changed, which
shows whether they are objects of their own.
"""

from __future__ import annotations

import random

from ..compared import JUDGE
from ..domain import Domain, of_functions

HEAD = """\
import math
import numpy as np
LIMIT = 3
def half(x):
    return x * 0.5
def clamp(x, low):
    if x < low:
        return low
    return x
def total(a):
    return sum(x for x in a)
def shown(o):
    if isinstance(o, (list, tuple)):
        return type(o)([shown(p) for p in o])
    return type(o).__name__, o.tolist() if isinstance(o, np.ndarray) else o
"""

LISTS = ("a", "b", "xs", "v")
CHANGES = ("b = a", "a = a + [1]", "xs = tuple(xs)", "g[0] = [1]", "a[0] = None", "xs = iter(xs)")


class Program:
    def __init__(self, number: int, rng: random.Random):
        self.function, self.rng = f"f{number}", rng
        self.names: list[str] = []  # of numbers
        self.rows: list[str] = []
        self.count = 0

    def pick(self, *of: str) -> str:
        return self.rng.choice(of)

    def name(self) -> str:
        self.count += 1
        return self.pick("k", "x", f"k{self.count}", f"x{self.count}")

    def list(self) -> str:
        whole = self.pick(*LISTS, *LISTS, "g[0]", *self.rows)
        if self.rng.random() > 0.15:
            return whole
        end = ("", "1", "2", "-1", "n", "m", "-2", "0", "9", "-m", *self.names)
        step = self.pick("", "", "", ":2", ":3", ":-1")
        return f"{whole}[{self.pick(*end)}:{self.pick(*end)}{step}]"

    def place(self) -> str:
        return self.pick("0", "1", "-1", "n - 1", "2", *self.names)

    def number(self, depth: int) -> str:
        if depth > 0 and self.rng.random() < 0.12:
            return self.over_all(depth - 1)
        if depth <= 0 or self.rng.random() < 0.3:
            return self.pick(
                "0.5", "2", "n", "LIMIT", *self.names, *self.names, *self.names,
                f"{self.list()}[{self.place()}]", f"len({self.list()})",
            )  # fmt: skip
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} * 0.25)", f"max({a}, {b})",
            f"abs({a})", f"half({a})", f"clamp({a}, {b})", f"math.sqrt(abs({a}))", f"-{a}",
            f"({a} if {self.test(0)} else {b})", f"({a} / {b})", f"({a} // 3)", f"float({a})",
        )  # fmt: skip

    def test(self, depth: int) -> str:
        op = self.pick("<", ">", "<=", "!=")
        test = f"{self.number(depth)} {op} {self.number(depth)}"
        return self.pick(test, test, f"{self.number(depth)} % 2", f"not {test}")

    def generator(self, depth: int) -> str:
        one, other = self.name(), self.name()
        size = self.pick("n", "m", "n + 1", "2 * n", "len(a)", "3", "n * m", "n - m")
        form = self.rng.randrange(9)
        if form < 3:
            low = self.pick("1, ", "m, ", "")
            step = self.pick(", 2", ", -1", ", 3") if low else ""
            head, new = f"for {one} in range({low}{size}{step})", [one]
        elif form < 5:
            head, new = f"for {one} in {self.list()}", [one]
        elif form == 5:
            if one == other:
                other += "_"
            by = self.pick(self.list(), self.list(), f"range({size})")
            head, new = f"for {one}, {other} in zip({self.list()}, {by})", [one, other]
        elif form == 6:
            if one == other:
                other += "_"
            head, new = f"for {one}, {other} in enumerate({self.list()})", [one, other]
        elif form == 7:
            row = f"r{self.count}"
            head, new = f"for {row} in g", []
            self.rows.append(row)
        else:
            head = f"for {one} in {self.pick('(1, 2.5, n)', '[m, 3]', f'reversed({self.list()})')}"
            new = [one]
        self.names += new
        while self.rng.random() < 0.2:
            head += f" if {self.test(depth)}"
        return head

    def comprehension(self, depth: int, element) -> str:
        before = list(self.names), list(self.rows)
        parts = self.generator(0)
        if self.rng.random() < 0.25:
            parts += " " + self.generator(0)
        text = f"{element(depth)} {parts}"
        self.names, self.rows = before
        return text

    def over_all(self, depth: int) -> str:
        builtin = self.pick("sum", "sum", "min", "max", "any", "all")
        element = self.test if builtin in ("any", "all") else self.number
        inside = self.comprehension(depth, element)
        return f"{builtin}({inside})" if self.rng.random() < 0.8 else f"{builtin}([{inside}])"

    def new_list(self, depth: int) -> str:
        kind = self.rng.random()
        if kind < 0.15:
            return f"[{self.comprehension(depth, lambda d: self.new_list(0))}]"
        if kind < 0.2:
            return f"[{self.comprehension(depth, self.test)}]"
        return f"[{self.comprehension(depth, self.number)}]"

    def build(self) -> list[str]:
        self.lines = [f"def {self.function}(a, b, g, xs, v, n, m):"]
        results = []
        for number in range(self.rng.randrange(1, 5)):
            value = self.over_all(2) if self.rng.random() < 0.4 else self.new_list(2)
            name = f"t{number}"
            form = self.rng.randrange(5)
            line = f"{name} = {value}"
            if form == 0:
                line = f"{name} = ({value}, n)"
            elif form == 1:
                line = f"{name} = {value} if {self.test(0)} else None"
            self.lines += [
                f"    try: {line}",
                f"    except Exception as error: {name} = type(error).__name__, str(error)",
            ]
            results.append(name)
        self.lines.append(f"    return [{', '.join(results)}]")
        for _ in range(3):
            size = self.pick("3", "7", "4", "1", "0")
            made = [self.pick("k", "k * 0.5", "3 - k", "k % 2 == 0", "k / 3 - 1") for _ in range(4)]
            lists = ", ".join(f"[{value} for k in range({size})]" for value in made[:3])
            dtype = self.pick("float", "int", "np.float32", "bool")
            self.lines += [
                f"a, b, xs = {lists}",
                f"g = [[{made[3]} + r for k in range({size})] for r in range(3)]",
                f"v, n, m = np.arange({size}).astype({dtype}), {size}, {self.pick('0', '2', '5')}",
                f"try: {self.pick(*['pass'] * 5, *CHANGES)}",
                "except Exception as error: print(type(error))",
                f"got = {self.function}(a, b, g, xs, v, n, m)",
                "print(shown(got))",
                "for k, o in enumerate(got):",
                "    if isinstance(o, list) and o:",
                "        if isinstance(o[0], list) and o[0]: o[0][0] = 100 + k",
                "        else: o[0] = 100 + k",
                "print(shown(got), shown((a, b, g, v)))",
            ]
        return self.lines


DOMAIN = Domain("values", "comprehensions outside of loops", of_functions(HEAD, Program), JUDGE)
