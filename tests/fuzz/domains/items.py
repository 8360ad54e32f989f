"""Random loops over what containers hold under keys that stay, and objects handed to functions.

Dictionaries, lists and tuples of arrays, lists, numbers and objects, by one name or by two;
functions that read and assign attributes and entries of what they are given, of one object or of
several: what is seen afterwards has to be CPython's.
"""

from __future__ import annotations

from ..compared import JUDGE
from ..domain import Domain, of_functions
from ..generator.random_function import RandomFunction
from .host_calls import HEAD as PARTS

HEAD = (
    PARTS
    + """\
class Body:
    def __init__(self, x, v, xs):
        self.x, self.v, self.xs, self.part = x, v, xs, None
    def moved(self, k):
        self.x += k
        return self.x * self.v
    def __repr__(self):
        return f"Body({self.x!r}, {self.v!r}, {shown(self.xs)!r}, {self.part!r})"
def made(x, v, xs):
    body = Body(x, v, xs)
    body.part = Body(0.25, 2, [1, 2, 3])
    return body
def read(d, k):
    return d["xs"][k % 5] + d["n"]
def wrote(d, k):
    d["xs"][k % 5] = k
    d["n"] += 1
def counted(b):
    b.x += 1
    return b.x
def inner(b, k):
    return b.part.x * k + b.xs[k % 3]
def pushed(b, c):
    b.v += c.x
    return b.v - c.v
def through(d, k):
    return read(d, k) + read(d=d, k=k + 1)
"""
)

XS = ("[1, 2, 3, 4, 5, 6]", "[0.5] * 9", "np.arange(9)", "np.ones(7)", "(3, 1, 2, 4, 5)", "[1]")


class Program(RandomFunction):
    """One function, and what is printed of its calls."""

    def number(self, depth: int = 1) -> str:
        if depth == 0:
            return self.pick("i", "s", "2", "0.5", "j", "d['n']", "b.x", "l[0][i % 3]")
        x, y = self.number(depth - 1), self.number(0)
        return self.pick(
            *(f"({x} + {y})", f"({x} - {y})", f"{x} * 2", "len(d['xs'])", "len(l[k])"),
            *("d['xs'][i % 6]", "e['xs'][i % 4]", "d['in']['n']", "d['in']['xs'][-1]"),
            *("l[k][i % 4]", "l[-1][0]", "l[1][j % 2]", "t[0][i % 3]", "o[0].x", "o[k].v"),
            *("o[0].xs[i % 3]", "o[k].moved(0.5)", "b.part.x", "b.xs[j % 3]", "read(d, i)"),
            *("read(e, j)", "counted(b)", "counted(c)", "inner(b, i)", "inner(c, j)"),
            *("pushed(b, c)", "pushed(c, b)", "through(d, i)", "b.moved(0.25)"),
            *("sum(l[k])", "d['xs'].sum()", "counted(o[0])"),
        )

    def change(self) -> str:
        n = self.number
        return self.pick(
            *(f"s += {n()}", f"s += {n(2)}", f"s = {n()}", f"s -= {n()}"),
            *(f"d['xs'][i % 6] = {n(0)}", f"e['xs'][j % 3] += {n(0)}", f"d['n'] = {n(0)}"),
            *(
                "e['n'] += 1",
                "d['in']['n'] -= 1",
                f"l[k][i % 4] = {n(0)}",
                f"l[0][j % 3] += {n(0)}",
            ),
            *("wrote(d, i)", "wrote(e, j)", f"b.x = {n(0)}", f"c.v += {n(0)}", "b.part.x += 1"),
            *(
                f"o[k].x = {n(0)}",
                "o[0].x += 0.5",
                f"o[0].xs[i % 3] = {n(0)}",
                f"b.xs[j % 3] = {n(0)}",
            ),
        )

    def rare(self) -> str:
        return self.pick(
            *("d['xs'] = [7, 8, 9, 1, 2, 3]", "l[0] = l[1]", "l[0], l[1] = l[1], l[0]", "k = 0"),
            *("del d['xs']", "d = e", "b, c = c, b", "b.xs = [9, 9, 9]", "o[0] = o[-1]"),
            *(
                "l.pop()",
                "l.append([1, 2, 3])",
                "d['in'] = dict(e)",
                "b.part = Body(1, 2, [3, 4, 5])",
                "d['new'] = i",
            ),
        )

    def statement(self, depth: int, inside: int) -> None:
        indent = "    " * depth
        kind = self.rng.randrange(12)
        if kind < 8 or not inside:
            self.lines.append(f"{indent}{self.change()}")
        elif kind == 8 and self.rng.random() < 0.6:
            self.lines.append(f"{indent}if i == {self.pick('0', '7', '20')}:")
            self.lines.append(f"{indent}    {self.rare()}")
        elif kind == 9:
            over = self.pick(
                "range(3)", "l[k]", "d['xs']", "map(half, l[0])", "(v for v in l[1] if v > 1)"
            )
            self.lines.append(f"{indent}for j in {over}:")
            self.lines.append(f"{indent}    j = int(j)")
            self.nested(depth + 1, inside - 1)
        else:
            test = self.pick("i % 3 == 1", "s > 10", "d['n'] < 30", "b.x > c.x", "'new' in d")
            self.lines.append(f"{indent}if {test}:")
            self.nested(depth + 1, inside - 1)

    def build(self) -> list[str]:
        self.lines = [f"def {self.function}(d, e, l, t, o, b, c, k, n):", "    s, i, j = 0, 0, 1"]
        if self.rng.random() < 0.8:
            self.lines.append("    for i in range(n):")
        else:
            self.lines += ["    while i < n:", "        i += 1"]
        for _ in range(self.rng.randrange(1, 5)):
            self.statement(2, 2)
        self.lines.append("    return s, i, j")
        for _ in range(4):
            self.lines += self.call()
        return self.lines

    def mapping(self) -> str:
        inner = f"dict(xs={self.pick(*XS)}, n={self.pick('3', '1.5')})"
        kind = self.pick("dict", "dict", "collections.OrderedDict")
        n = self.pick("0", "2", "0.5")
        return f"{kind}([('xs', {self.pick(*XS)}), ('n', {n}), ('in', {inner})])"

    def call(self) -> list[str]:
        body = f"made({self.pick('1', '0.5')}, {self.pick('2', '0.5')}, {self.pick(*XS)})"
        other = f"made({self.pick('1', '0.5')}, 3, {self.pick(*XS)})"
        lists = [self.pick(*XS) for _ in range(self.rng.randrange(2, 4))]
        return [
            *(f"D, B = {self.mapping()}, {body}", f"E = {self.pick(self.mapping(), 'D')}"),
            f"C = {self.pick(other, other, 'B')}",
            f"L = [{', '.join(lists)}]",
            f"O = [{self.pick('B', other)}, {self.pick('C', other)}, {other}]",
            f"T = ({self.pick(*XS)}, 2)",
            f"K = {self.pick('0', '1', '-1', '7')}",
            f"called({self.function}, D, E, L, T, O, B, C, K, {self.pick('0', '1', '25', '90')})",
        ]


DOMAIN = Domain(
    "items",
    "items of containers, and objects handed to functions",
    of_functions(HEAD, Program),
    JUDGE,
)
