"""Random loops that make lists by appending to them, against CPython.

Each iteration makes some lists empty, or with an element or two, and appends to them in branches
and inner loops, by itself and by functions that it calls. Their elements, lengths, sums and truth
go into what the loop computes; functions are given the lists and return lists of their own, and now
and then a list gets a second name. Subscripts go astray and something raises at times. Afterwards
each list is changed in turn, which shows which of them are one object.
"""

from __future__ import annotations

import random

from ..compared import JUDGE
from ..domain import Domain, of_functions

HEAD = """\
def push(to, v):
    to.append(v)
def push_two(to, v):
    push(to, v)
    if len(to) < 5:
        to.append(v + 1)
    return len(to)
def small(n, v):
    if n % 3 == 0:
        return []
    found = []
    for k in range(n % 7):
        if k != 2:
            found.append(v + k)
    return found
def above(a, v):
    return [x for x in a if x > v]
def pair(n):
    low, high = [], []
    for k in range(n % 6):
        if k * n % 5 < 2:
            low.append(k)
        else:
            high.append(k - n)
    return low, high
def total(a):
    t = 0
    for v in a:
        t += v
    return t
def same(a):
    return a
def taken(a):
    return a.pop() if len(a) > 2 else len(a)
def shown(o):
    if isinstance(o, (list, tuple)):
        return type(o)([shown(p) for p in o])
    return type(o).__name__, o
"""

NAMES = ("p", "q", "r")


class Program:
    def __init__(self, number: int, rng: random.Random):
        self.function, self.rng = f"f{number}", rng
        self.lines: list[str] = []
        self.loops = self.over = 0

    def pick(self, *of: str) -> str:
        return self.rng.choice(of)

    def list(self) -> str:
        return self.pick(*NAMES)

    def number(self, depth: int) -> str:
        xs = self.list()
        if depth <= 0 or self.rng.random() < 0.4:
            return self.pick(
                "s", "i", "i", "2", "n", "a[i]", f"len({xs})", *("j",) * (self.loops > 0),
                f"({xs}[0] if {xs} else 7)", f"({xs}[-1] if len({xs}) > 1 else 1)", "0.5",
            )  # fmt: skip
        a, b = self.number(depth - 1), self.number(depth - 1)
        k = f"k{self.rng.randrange(100)}"
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b}) % 101", f"sum({xs})", f"total({xs})",
            f"sum({k} * {k} % 97 for {k} in {xs})", f"sum({k} > {a} for {k} in {xs})",
            f"{xs}[{self.pick('0', '-1', '1', 'i % 3', 'len(' + xs + ') // 2')}]",
            *(f"(max({xs}) if {xs} else {a})",) * (self.rng.random() < 0.2), f"len(small(i, {a}))",
        )  # fmt: skip

    def new_list(self) -> str:
        k = f"k{self.rng.randrange(100)}"
        xs = self.list()
        return self.pick(
            "[]", "[]", "[]", f"[{self.number(0)}]", f"[{self.number(0)}, {self.number(1)}]",
            f"small(i, {self.number(0)})", f"above({xs}, {self.number(0)})", "pair(i)[0]",
            f"[{k} + 1 for {k} in {xs}]", f"[{k} for {k} in {xs} if {k} > {self.number(0)}]",
            f"[{k} for {k} in range(n) if {k} != {self.number(0)}]",
            f"[{k} + sum([j + {k} for j in range(n)]) for {k} in range(n)]",
        )  # fmt: skip

    def append(self, indent: str) -> str:
        xs, value = self.list(), self.number(1)
        # Nothing else would end a loop over the list.
        guard = f"if len({xs}) < 30: " if self.over else ""
        return indent + guard + self.pick(
            f"{xs}.append({value})", f"{xs}.append({value})", f"{xs}.append({value})",
            f"push({xs}, {value})", f"s += push_two({xs}, {value})",
            f"s += {xs}.pop() if {xs} else 3", f"({xs}.pop() if len({xs}) > 1 else s)",
            *(f"s -= {xs}.pop()",) * (self.rng.random() < 0.3), f"s += taken({xs})",
            f"{xs}.append(({xs}.pop() if {xs} else 0) + {self.number(0)})",
        )  # fmt: skip

    def statement(self, depth: int, deeper: int) -> None:
        indent, kind = "    " * depth, self.rng.random()
        if kind < 0.35:
            self.lines.append(self.append(indent))
        elif kind < 0.5 or not deeper:
            value = self.number(2)
            self.lines.append(indent + self.pick(f"s += {value}", f"s = s % 50 + {value}"))
        elif kind < 0.58:
            xs = self.list()
            at = self.pick("0", "-1", "i % 4", "len(" + xs + ") - 1")
            self.lines.append(
                f"{indent}if {xs}: {xs}[{at}] {self.pick('=', '+=')} {self.number(1)}"
            )
        elif kind < 0.68:
            self.lines.append(f"{indent}{self.list()} = {self.new_list()}")
        elif kind < 0.69 and not self.over:
            xs = self.list()
            self.lines.append(f"{indent}while {self.pick(xs, f'len({xs}) > 1')}:")
            self.lines.append(f"{indent}    s = s % 1000 + {xs}.pop()")
        elif kind < 0.71:
            line = self.pick(
                f"{self.list()} = {self.list()}",
                "p, q = q, p",
                "p, q = [], []",
                f"q, r = pair({self.pick('i', 'n')})",
                f"{self.list()} = same({self.list()})",
                f"{self.list()} = []; continue",
                f"if i > {self.pick('3', '7')}: break",
                f"if s > {self.pick('90', '400')}: raise ValueError(s)",
            )
            self.lines.append(indent + line)
        elif kind < 0.83:
            xs = self.list()
            test = self.pick(
                f"{self.number(1)} > {self.number(0)}", xs, f"not {xs}", f"len({xs}) > 2", "i % 2"
            )
            self.lines.append(f"{indent}if {test}:")
            self.block(depth + 1, deeper - 1)
        else:
            self.loop(depth, deeper)

    def loop(self, depth: int, deeper: int) -> None:
        self.loops += 1
        xs = self.list()
        head = self.pick(
            "for j in range(n):", "for j in range(i % 5):", f"for j in {xs}:",
            f"for j, v in enumerate({xs}):", f"for j in range(len({xs})):",
            f"for v, j in zip({xs}, a):", f"for j in reversed({xs}):",
        )  # fmt: skip
        self.lines.append("    " * depth + head)
        over = "range(" not in head or "len(" in head
        self.over += over
        self.block(depth + 1, deeper - 1)
        self.over -= over
        self.loops -= 1

    def block(self, depth: int, deeper: int) -> None:
        for _ in range(self.rng.randrange(1, 4)):
            self.statement(depth, deeper)

    def build(self) -> list[str]:
        self.lines = [f"def {self.function}(a, m, n):", "    s, i = 0, 0"]
        before = {name for name in NAMES if self.rng.random() < 0.15}
        self.lines += [f"    {name} = []" for name in sorted(before)]
        self.lines += ["    try:", f"        for i in range({self.pick('m', 'm', '1, m')}):"]
        made = [name for name in NAMES if name not in before or self.rng.random() < 0.5]
        self.rng.shuffle(made)
        self.lines += [
            f"            {name} = {self.pick('[]', '[]', '[i]', 'small(i, 2)')}" for name in made
        ]
        for _ in range(self.rng.randrange(2, 5)):
            self.statement(3, 3)
        self.lines += ["    except Exception as error:"]
        self.lines += ["        s = type(error).__name__, str(error)"]
        # A loop that did not run leaves names without a value.
        self.lines += ["    try: return s, i, p, q, r"]
        self.lines += ["    except NameError as error: return s, i, str(error)"]
        for _ in range(3):
            value = self.pick("k", "k", "k * 0.5", "3 - k", "k % 2 == 0")
            m = self.pick("0", "1", "5", "9", "12")
            self.lines += [
                f"a, n, m = [{value} for k in range(10)], {self.pick('3', '4', '1')}, {m}",
                f"got = {self.function}(a, m, n)",
                "print(shown(got))",
                "for k, o in enumerate(got):",
                "    if isinstance(o, list): o.append(100 + k)",
                "print(shown(got), a)",
            ]
        return self.lines


DOMAIN = Domain(
    "grown_lists", "loops that append to lists of their own", of_functions(HEAD, Program), JUDGE
)
