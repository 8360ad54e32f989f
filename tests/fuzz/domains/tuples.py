"""Random loops over lists of tuples of several types, against CPython.

Tuples hold ints, floats, bools, NumPy scalars, strings, None, tuples and lists, some of them the
same in two places; they are unpacked, subscripted, handed to functions and left behind by names.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from ..compared import JUDGE
from ..domain import Domain, of_functions

HEAD = """\
import numpy as np
def second(t, by=1):
    return t[1] * by
def apart(s, t):
    return abs(s[0] - t[0]) > 1
def shown(o):
    if isinstance(o, (list, tuple)):
        return type(o)([shown(p) for p in o])
    if isinstance(o, np.ndarray):
        return o.tolist()
    return type(o).__name__, o
"""


class Kind(NamedTuple):
    """What stands at one place of every tuple."""

    value: str  # of the tuple number k
    numbers: tuple[str, ...]  # what is a number of it, `{}` being the item
    lists: bool = False


KINDS = (
    Kind("k", ("{}",)),
    Kind("3 - k", ("{}",)),
    Kind("k % 4", ("{}",)),
    Kind("k * 0.5", ("{}",)),
    Kind("1.0 / (k + 1)", ("{}",)),
    Kind("k % 3 == 0", ("{}",)),
    Kind("np.float64(k)", ("{}",)),
    Kind("np.int32(k)", ("{}",)),
    Kind("k if k % 2 else 0.5", ("{}",)),
    Kind("'ab'[k % 2]", ()),
    Kind("None if k % 3 else 'x'", ()),
    Kind("(k, k + 1)", ("{}[0]", "{}[1]")),
    Kind("(k * 0.5, k % 2)", ("{}[0]", "{}[-1]")),
    Kind("[k * 0.25, 1.0]", ("{}[0]", "{}[1]"), True),
    Kind("[k, 2 * k]", ("{}[1]",), True),
)


# What becomes of the lists before a call.
CHANGES = (
    "rows[-1] = rows[0]",
    "more = rows",
    "rows.append(rows[0])",
    "rows = tuple(rows)",
    "rows[-1] = rows[-1][:-1]",
    "rows[-1] = list(rows[-1])",
    "rows[-1] = rows[-1][::-1]",
    "more[0] = (7,) + more[0][1:]",
    "rows.append((1, 2))",
    "more[0] = 5",
    "rows.append((0.5,) * len(rows[0]))",
)


class Program:
    def __init__(self, number: int, rng: random.Random):
        self.function, self.rng = f"f{number}", rng
        self.lines: list[str] = []
        self.shapes = {n: rng.sample(KINDS, rng.randrange(2, 5)) for n in ("rows", "more")}
        self.tuples = {"rows": ["rows[0]", "rows[i % len(rows)]"], "more": ["more[-1]"]}
        self.names: list[str] = []
        self.lists: list[str] = []
        self.loops = self.targeted = 0

    def pick(self, *of: str) -> str:
        return self.rng.choice(of)

    def item(self) -> str:
        """A number in some tuple."""
        of = self.pick("rows", "rows", "more")
        shape = self.shapes[of]
        at = self.rng.randrange(len(shape))
        t = self.rng.choice(self.tuples[of])
        place = f"{t}[{at if self.rng.random() < 0.8 else at - len(shape)}]"
        numbers = shape[at].numbers
        return self.rng.choice(numbers).format(place) if numbers else "0.25"

    def number(self, depth: int) -> str:
        if depth <= 0 or self.rng.random() < 0.3:
            t = self.rng.choice(self.tuples["rows"])
            return self.pick(
                "s", "0.5", "i", self.item(), self.item(), *self.names[-3:], f"len({t})",
                f"second({t}, 0.5)", "out[i % 5]", "len(rows)",
            )  # fmt: skip
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} * 0.25)", f"min({a}, {b})")

    def condition(self) -> str:
        a, b = self.number(1), self.number(1)
        t = [self.rng.choice(self.tuples["rows"]) for _ in range(2)]
        return self.pick(f"{a} > {b}", f"{a} <= 1", f"apart({t[0]}, {t[1]})", f"{a} == {b}")

    def statement(self, depth: int, deeper: int) -> None:
        indent, kind = "    " * depth, self.rng.random()
        if kind < 0.45 or not deeper:
            value = self.number(2)
            some = [
                f"{x}[{self.pick('0', '1')}] {self.pick('=', '+=')} {value}" for x in self.lists
            ]
            self.lines.append(
                indent
                + self.pick(
                    f"s += {value}", f"s = s * 0.5 + {value}", f"out[i % 5] = {value}",
                    f"out[{self.pick('0', '2', '-1')}] += {value}", f"n += {self.item()}",
                    f"got.append({value})", *some,
                )
            )  # fmt: skip
        elif kind < 0.6:
            self.lines.append(f"{indent}if {self.condition()}:")
            self.block(depth + 1, deeper - 1)
        elif kind < 0.72:
            of = self.pick("rows", "more")
            self.lines.append(f"{indent}t = {self.rng.choice(self.tuples[of])}")
            self.tuples[of] = [*self.tuples[of], "t"]
            self.tuples = {
                o: [t for t in ts if o == of or t != "t"] for o, ts in self.tuples.items()
            }
        else:
            self.loop(depth, deeper)

    def targets(self, of: str) -> str:
        """What a tuple is unpacked into: now and then one name too many."""
        names = []
        for kind in self.shapes[of]:
            self.targeted += 1
            names.append(f"x{self.targeted}")
            self.names += [n.format(names[-1]) for n in kind.numbers]
            self.lists += names[-1:] * kind.lists
        names += ["much"] * (self.rng.random() < 0.03)
        return ", ".join(names)

    def loop(self, depth: int, deeper: int) -> None:
        self.loops += 1
        indent, t = "    " * depth, f"t{self.loops}"
        of = self.pick("rows", "rows", "more")
        before = list(self.names), list(self.lists), dict(self.tuples)
        form = self.rng.randrange(6)
        if form == 0:
            head = f"for {self.targets(of)} in {of}:"
        elif form == 1:
            head = f"for k, ({self.targets(of)}) in enumerate({of}):"
        elif form == 2:
            head = f"for ({self.targets('rows')}), {t} in zip(rows, more):"
            self.tuples["more"] = [*self.tuples["more"], t, t]
        else:
            new = f"{of}[j]" if form == 5 else t
            self.tuples[of] = [*self.tuples[of], new, new]
            over = {3: of, 4: f"reversed({of})", 5: f"range(len({of}))"}[form]
            head = f"for {'j' if form == 5 else t} in {over}:"
        self.lines.append(f"{indent}{head}")
        self.block(depth + 1, deeper - 1)
        self.names, self.lists, self.tuples = before

    def block(self, depth: int, deeper: int) -> None:
        before = list(self.names), list(self.lists), dict(self.tuples)
        for _ in range(self.rng.randrange(1, 4)):
            self.statement(depth, deeper)
        self.names, self.lists, self.tuples = before

    def build(self) -> list[str]:
        self.lines = [
            f"def {self.function}(rows, more, out, m):",
            "    s, n, i, got = 0.5, 0, 0, []",
        ]
        self.lines.append(f"    for i in range({self.pick('m', 'm', '1, m', 'len(rows)')}):")
        self.block(2, 3)
        self.lines.append(
            "    return s, n, i, got, {k: v for k, v in locals().items() if k[0] in 'tx'}"
        )
        for _ in range(4):
            made = {}
            for name, shape in self.shapes.items():
                values = ", ".join(kind.value for kind in shape)
                made[name] = f"[({values}) for k in range({self.pick('1', '4', '6')})]"
            changed = self.pick(*["pass"] * 4, *CHANGES)
            out = self.pick("[0] * 5", "[0.5] * 5", "np.zeros(5)", "np.zeros(5, dtype=int)")
            m = self.pick("0", "1", "5", "5", "9")
            self.lines += [
                f"rows, more, out = {made['rows']}, {made['more']}, {out}",
                f"try: {changed}",
                "except Exception as error: print(type(error))",
                "try:",
                f"    *got, left = {self.function}(rows, more, out, {m})",
                "    print(shown(got), [(k, shown(v)) for k, v in sorted(left.items())])",
                "except Exception as error:",
                "    print(type(error), error)",
                "print(shown(rows), shown(more), shown(out))",
            ]
        return self.lines


DOMAIN = Domain(
    "tuples", "loops over lists of tuples of several types", of_functions(HEAD, Program), JUDGE
)
