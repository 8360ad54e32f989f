"""Random loops over dictionaries in lists, and over what calls, dictionaries and views give.

Records that lack a key, hold a value of another type, stand in a list twice or in two lists;
dictionaries that the loop changes by one name or another while it goes over them; calls whose
effects have to happen once; objects that are given to other containers.
"""

from __future__ import annotations

import random

from ..compared import JUDGE
from ..domain import Domain, of_functions
from ..generator.random_function import RandomFunction
from .host_calls import HEAD as PARTS

HEAD = (
    PARTS
    + """\
MADE = []
kept = {}
def listed(n):
    MADE.append(n)
    return [i * 0.5 for i in range(n)]
def yielded(n):
    for i in range(n):
        MADE.append(i)
        yield i
def rows_of(rows):
    MADE.append(len(rows))
    return rows[::2] + rows[1::2]
def bumped(p, k):
    p["x"] += k
    return p["x"] * p["n"]
def record(i, x):
    return {"x": x, "n": i % 5, "w": "abc"[i % 3], "at": [i, 0.5]}
"""
)


class Program(RandomFunction):
    """One function, and what is printed of its calls."""

    def __init__(self, number: int, rng: random.Random):
        super().__init__(number, rng)
        self.row = ""  # the record that a loop around is at

    def place(self) -> str:
        """A record."""
        own = [self.row] * 4 if self.row else []
        return self.pick(*own, "ps[i % 3]", "ps[-1]", "qs[0]", "qs[i % 2]", "first")

    def number(self, depth: int = 1) -> str:
        if depth == 0:
            place = self.place()
            return self.pick("i", "s", "2", "0.5", f"{place}['x']", f"{place}['n']")
        x, y, place = self.number(depth - 1), self.number(0), self.place()
        return self.pick(
            *(f"({x} + {y})", f"({x} - {y})", f"{x} * 2", f"{place}['at'][0]", f"{place}['x']"),
            *(f"({place}['w'] == 'b')", f"({place} is not first)", "d.get(i % 4, 0)", "len(d)"),
            *(f"bumped({place}, 1)", f"len({place})", f"{place}.get('y', 3)", "(i % 5 in d)"),
        )

    def change(self) -> str:
        n, place = self.number, self.place()
        return self.pick(
            *(f"s += {n()}", f"s += {n(2)}", f"s -= {n()}", f"s = {n()}"),
            *(f"{place}['x'] = {n()}", f"{place}['x'] += {n(0)}", f"{place}['n'] = i % 7"),
            *(f"{place}['at'][1] = {n(0)}", f"d[i % 4] = {n(0)}", "d[i % 5] += 1"),
            *(f"out.append({place})", f"out.append(({n(0)}, {place}))", f"out.append({n(0)})"),
            *(f"kept[i % 3] = {place}", f"s += bumped({place}, 0.5)"),
        )

    def rare(self) -> str:
        place = self.place()
        return self.pick(
            *(
                f"{place}['w'] = 'z'",
                f"{place}['x'] = None",
                f"{place}['y'] = 1",
                f"print({place})",
            ),
            *(f"del {place}['x']", "ps[1] = ps[0]", "ps[0] = ps[-1]", "first = ps[-1]"),
            *("d[77] = 1", "d.clear()", "qs = ps", "ps[0], ps[-1] = ps[-1], ps[0]"),
        )

    def header(self) -> tuple[str, str]:
        """A loop's header, and the record that its iterations are at."""
        over, row = self.rng.choice(
            [
                *(("for p in ps", "p"), ("for p in qs", "p"), ("for i, p in enumerate(ps)", "p")),
                *(("for p, q in zip(ps, qs)", "q"), ("for p in rows_of(ps)", "p")),
                *(("for p in reversed(ps)", "p"), ("for i in range(len(ps))", "ps[i]")),
                *(("for i in d", ""), ("for i, v in d.items()", ""), ("for v in d.values()", "")),
                *(("for v in listed(7)", ""), ("for i, v in enumerate(listed(30))", "")),
                *(("for i in yielded(6)", ""), ("for i, v in sorted(d.items())", "")),
                *(("for i, v in zip(yielded(5), listed(9))", ""), ("for i in set(d)", "")),
                *(("for v in [p['x'] for p in ps]", ""), ("for i in tuple(range(40))", "")),
            ]
        )
        return over, row

    def statement(self, depth: int, inside: int) -> None:
        indent = "    " * depth
        kind = self.rng.randrange(13)
        if kind < 8 or not inside:
            self.lines.append(f"{indent}{self.change()}")
        elif kind == 8 and self.rng.random() < 0.6:
            self.lines.append(f"{indent}if i == {self.pick('0', '7', '20')}:")
            self.lines.append(f"{indent}    {self.rare()}")
        elif kind == 9:
            self.lines.append(f"{indent}for b in {self.pick('ps', 'qs')}:")
            around, self.row = self.row, "b"
            self.nested(depth + 1, inside - 1)
            self.row = around
        else:
            place = self.place()
            test = self.pick(
                *("i % 3 == 1", "s > 10", f"{place}['n'] < 3", f"{place}['w'] == w", "i in d")
            )
            self.lines.append(f"{indent}if {test}:")
            self.nested(depth + 1, inside - 1)

    def build(self) -> list[str]:
        self.lines = [
            f"def {self.function}(ps, qs, d, first, w, out, kept):",
            "    s, i, v = 0, 0, 0.5",
        ]
        for _ in range(self.rng.randrange(1, 3)):
            over, self.row = self.header()
            self.lines.append(f"    {over}:")
            for _ in range(self.rng.randrange(1, 5)):
                self.statement(2, 2)
            self.row = ""
        if self.rng.random() < 0.3:
            over = self.pick("d.values()", "listed(8)", "d", "sorted(d)", "yielded(3)")
            self.lines.append(f"    s += sum(x * 2 for x in {over})")
        self.lines.append("    return s, i, v")
        for _ in range(4):
            self.lines += self.call()
        return self.lines

    def rows(self, n: str) -> str:
        kind = self.rng.randrange(12)
        number = self.pick("i * 0.25", "i * 0.25", "i", "float(i)", "(i if i != 9 else 0.5)")
        rows = f"[record(i, {number}) for i in range({n})]"
        if kind == 0:
            return f"{rows} + [{{'x': 1, 'n': 2}}]"
        if kind == 1:
            return f"({rows}) * 2"
        if kind == 2:
            return f"[collections.OrderedDict(p) for p in {rows}]"
        return rows

    def call(self) -> list[str]:
        n = self.pick("3", "4", "30", "60")
        keys = self.pick("range(6)", "range(0, 80, 3)", "[2, 0, 1]", "[]")
        value = self.pick("k + 1", "k * 0.5", "1")
        word = self.pick("'b'", "'z'", "'abc'")
        return [
            f"P = {self.rows(n)}",
            f"Q = {self.pick(self.rows('3'), self.rows(n), 'P', 'P[1:]', 'list(P)')}",
            f"D = {{k: {value} for k in {keys}}}",
            f"F = {self.pick('P[0]', 'P[-1]', 'record(1, 2.5)', 'Q[1]')}",
            "O, K = [], {}",
            f"called({self.function}, P, Q, D, F, {word}, O, K)",
            "print(len(MADE), [x is y for x, y in zip(O, P)][:9])",
        ]


DOMAIN = Domain(
    "records",
    "dictionaries in lists, and what calls and dictionaries give to loop over",
    of_functions(HEAD, Program),
    JUDGE,
)
