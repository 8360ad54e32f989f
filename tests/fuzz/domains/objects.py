"""Random loops over lists of objects, against CPython.

Attributes are read and assigned through subscripts, names, loops over the lists, functions and
methods; they begin as floats, ints, bools, NumPy scalars, lists and objects; classes have
dictionaries, slots, defaults and properties; objects stand in two lists, twice in one, and under
names.
"""

from __future__ import annotations

import random

from ..compared import JUDGE
from ..domain import Domain, of_functions

HEAD = """\
import math
import numpy as np
class At:
    def __init__(self, x, y):
        self.x, self.y = x, y
class Plain:
    def __init__(self, k):
        self.x, self.v, self.k, self.on = 0.25 * k, 1.5 - k, k, k % 3 == 0
        self.at, self.row = At(k * 0.5, -k), [k, k + 1, 2]
    def get(self):
        return self.x * 0.5 + self.v
    def far(self, other, by=1.0):
        return abs(self.x - other.x) > by and self is not other
    def move(self, dt):
        self.x += dt * self.v
        if self.x > 9:
            self.v = -self.v
            self.k += 1
class Slotted:
    __slots__ = ("x", "v", "k", "on", "at", "row")
    __init__, get, far, move = Plain.__init__, Plain.get, Plain.far, Plain.move
class Deeper(Plain):
    v = 0.5
    on = True
    def get(self):
        return self.v - self.x
class Half(Plain):
    def __init__(self, k):
        super().__init__(k)
        if k % 2:
            self.x = k
class Numbers(Plain):
    def __init__(self, k):
        super().__init__(k)
        self.x, self.v = np.float64(self.x), np.float64(self.v)
class Watched(Plain):
    @property
    def v(self):
        return 2.0
    @v.setter
    def v(self, value):
        if value > 30:
            print("set", value)
def gap(a, b):
    return b.x - a.x
def kick(p, q, f=0.5):
    p.v += f * q.x
    return p.v
def rise(p):
    p.k += 1
def shown(o):
    if isinstance(o, Plain) or isinstance(o, Slotted):
        names = "x", "v", "k", "on"
        own = [(type(getattr(o, n)).__name__, getattr(o, n)) for n in names]
        return own + [o.at.x, o.at.y, o.row]
    if isinstance(o, (list, tuple)):
        return [shown(p) for p in o]
    return type(o).__name__, o
"""

CLASSES = ("Plain",) * 5 + ("Slotted", "Slotted", "Deeper", "Half", "Numbers", "Watched")


class Program:
    def __init__(self, number: int, rng: random.Random):
        self.function, self.rng = f"f{number}", rng
        self.lines: list[str] = []
        self.objects = ["b[0]", "b[-1]", "b[i % len(b)]", "c[0]", "b[i % len(b)]"]
        self.loops = 0

    def pick(self, *of: str) -> str:
        return self.rng.choice(of)

    def object(self) -> str:
        return self.rng.choice(self.objects)

    def number(self, depth: int) -> str:
        if depth <= 0 or self.rng.random() < 0.3:
            o = self.object()
            return self.pick(
                "s", "0.5", "i", f"{o}.x", f"{o}.v", f"{o}.x", f"{o}.k", f"{o}.get()",
                f"{o}.at.x", f"{o}.row[1]", f"gap({o}, {self.object()})", "len(b)",
            )  # fmt: skip
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * 0.25)", f"min({a}, {b})")

    def condition(self) -> str:
        o, other = self.object(), self.object()
        names = [name for name in self.objects if name.isidentifier()]
        if len(set(names)) > 1 and self.rng.random() < 0.3:
            # Of names alone, one with attributes: else all loops of the module are CPython's.
            one, two = self.rng.sample(sorted(set(names)), 2)
            return f"{one} {self.pick('is', 'is not')} {two} and {two}.x < 5"
        return self.pick(
            f"{o}.x > {self.number(1)}", f"{o}.on", f"{o}.far({other})", f"{o}.k % 2",
            f"s < {self.number(1)}", f"{o}.far({other}, 2.5)", f"{o}.k > {other}.k",
        )  # fmt: skip

    def statement(self, depth: int, deeper: int) -> None:
        indent, kind = "    " * depth, self.rng.random()
        o, other = self.object(), self.object()
        if kind < 0.4 or not deeper:
            value = self.number(2)
            self.lines.append(
                indent
                + self.pick(
                    f"{o}.x = {value}", f"{o}.v += {value}", f"{o}.x -= 0.5 * {other}.v",
                    f"s += {value}", f"s = s * 0.5 + {value}", f"{o}.k += 1", f"{o}.k = {other}.k",
                    f"{o}.move(0.25)", f"kick({o}, {other})", f"s += kick({o}, {other}, f=0.25)",
                    f"{o}.on = {self.condition()}", f"{o}.at.x += {value}", f"{o}.row[0] = i",
                    f"{o}.x, {other}.v = {other}.v, {o}.x", f"rise({o})",
                    f"{o}.at.y = {other}.at.x",
                )
            )  # fmt: skip
        elif kind < 0.6:
            self.lines.append(f"{indent}if {self.condition()}:")
            self.block(depth + 1, deeper - 1)
            if self.rng.random() < 0.4:
                self.lines.append(f"{indent}else:")
                self.block(depth + 1, deeper - 1)
        elif kind < 0.72:
            name = self.pick("p", "q")
            self.lines.append(f"{indent}{name} = {o}")
            self.objects += [name] * 2
        else:
            self.loop(depth, deeper)

    def loop(self, depth: int, deeper: int) -> None:
        self.loops += 1
        indent, name = "    " * depth, f"o{self.loops}"
        of = self.pick("b", "b", "c")
        head, new = self.rng.choice(
            [
                (f"for {name} in {of}:", [name]),
                (f"for {name} in {of}:", [name]),
                (f"for j, {name} in enumerate({of}):", [name, f"{of}[j]"]),
                (f"for j in range(len({of})):", [f"{of}[j]"]),
                (f"for {name}, r in zip(b, c):", [name, "r"]),
                (f"for {name} in reversed({of}):", [name]),
            ]
        )
        self.lines.append(f"{indent}{head}")
        before = list(self.objects)
        self.objects += new * 3
        self.block(depth + 1, deeper - 1)
        self.objects = before

    def block(self, depth: int, deeper: int) -> None:
        before = list(self.objects)
        for _ in range(self.rng.randrange(1, 4)):
            self.statement(depth, deeper)
        self.objects = before

    def build(self) -> list[str]:
        self.lines = [f"def {self.function}(b, c, n):", "    s, i = 0.5, 0"]
        self.lines.append(f"    for i in range({self.pick('n', 'n', '1, n', 'len(b)')}):")
        self.block(2, 3)
        self.lines.append("    return s, i")
        for _ in range(4):
            kinds = self.pick(*CLASSES), self.pick(*CLASSES)
            b, c = (f"[{k}(k) for k in range({self.pick('1', '4', '6')})]" for k in kinds)
            more = self.pick("", "", "", "", "c[0] = b[0]", "b.append(b[0])", "c = b",
                             "c = tuple(c)", "b[0].v = 3", "b[-1].x = 1", "del b[-1].k",
                             "b.append(Plain(9))", "b[0].get = lambda: 1.0",
                             "c[0].at = b[0].at")  # fmt: skip
            self.lines += [
                f"b, c = {b}, {c}",
                f"try: {more or 'pass'}",
                "except Exception as error: print(type(error))",
                "try:",
                f"    got = {self.function}(b, c, {self.pick('0', '1', '5', '5', '9')})",
                "    print(shown(got))",
                "except Exception as error:",
                "    print(type(error), error)",
                "try: print(shown(b), shown(c))",
                "except Exception as error: print(type(error), error)",
            ]
        return self.lines


DOMAIN = Domain("objects", "loops over lists of objects", of_functions(HEAD, Program), JUDGE)
