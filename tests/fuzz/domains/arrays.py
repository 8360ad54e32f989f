"""Random loops over operations on whole arrays.

Slices, rows and columns that are stored, updated, added up, named, made anew and handed to
functions, of arrays that may lie in one another, with ends that are beyond, shapes that do not fit,
types that change, NaN and warnings: values, types and errors have to be CPython's.
"""

from __future__ import annotations

import random

from ..compared import JUDGE
from ..domain import Domain, of_functions

HEAD = """\
import numpy as np
def scaled(r, f):
    return r * f - 0.5
def length(r):
    d = r * r
    return np.sqrt(d.sum())
def raised(r, k):
    r += k
    return r[0]
def moved(r, s):
    acc = np.zeros_like(r)
    acc += s
    acc[0] = r[0]
    return acc, acc[-1]
def mixed(r, s):
    t = np.where(r > s, r, s)
    t[0] = 0.25
    return t
def upper(r):
    d = r * 2.0
    return d[1:]
def through(r):
    return r
def shown(v):
    if isinstance(v, np.ndarray):
        # The sign of a NaN is nobody's promise.
        seen = np.where(np.isnan(v), np.nan, v)
        return v.dtype.str, v.shape, v.strides, seen.tobytes().hex()[:400], v.base is None
    return type(v).__name__, repr(v)
def arrays(kind, seed):
    rng = np.random.default_rng(seed)
    big = np.round(rng.random((12, 14)) * 8 - 2, 3)
    if kind % 5 == 1:
        odd = 0.0, -0.0, np.nan, 1e200, np.inf, 0.0
        big[rng.integers(0, 12, 6), rng.integers(0, 14, 6)] = odd
    a, b = big[:6, :7].copy(), big[6:, :7].copy()
    u, v = big[0, :7].copy(), big[1, :7].copy()
    f, m = big[:, 8].astype(np.float32), rng.integers(-9, 9, (6, 7))
    if kind % 5 == 2:
        a, b = big[:6, :7], big[3:9, 4:11]
    if kind % 5 == 3:
        u, v = big.ravel()[3:10], big.ravel()[4:11]
    if kind % 5 == 4:
        a, u, v = big.T[:6, :7], big[:7, 3], big[0, ::-2]
    return a, b, u, v, f, m, rng.integers(-7, 7, 7)
"""

NAMES = ("t", "w", "z")


class Program:
    """One function, and what is printed of it."""

    def __init__(self, number: int, rng: random.Random):
        self.function, self.rng = f"f{number}", rng
        self.lines: list[str] = []
        self.made: list[str] = []

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def index(self) -> str:
        return self.pick("i", "i", "i % 6", "j % 5", "0", "-1", "i - 1", "(i * 2) % 6", "n % 4")

    def ends(self) -> str:
        """A slice of an axis of seven."""
        return self.pick(
            *(":", ":", ":", "1:", ":-1", "1:-1", "2:", ":-2", "::2", "1::2", "::-1", "::3"),
            *(
                "i:",
                ":i",
                "i % 3:",
                "i % 3 : i % 3 + 4",
                ":-i",
                "-i:",
                "3:2",
                "i - 1:",
                ": i + 4",
                "2:9",
            ),
        )

    def vector(self, depth: int = 0) -> str:
        """A part of an array with one axis."""
        i, s = self.index(), self.ends()
        return self.pick(
            *(
                f"a[{i}]",
                f"a[{i}, {s}]",
                f"b[{i}, {s}]",
                f"a[{s}, {i}]",
                f"u[{s}]",
                f"v[{s}]",
                "u",
                "v",
            ),
            *(f"b[{i}]", f"a[{i}]", *self.made, *self.made),
        )

    def gathered(self) -> str:
        """Elements at places that ints say, seven most times; some are beyond the ends."""
        i = self.index()
        places = self.pick(
            f"m[{i}] % 7", f"m[{i}] % 7", f"m[{i}]", "p", f"m[{i}, {self.ends()}] % 6"
        )
        return self.pick(
            *(f"u[{places}]", f"v[{places}]", f"a[{i}, {places}]", f"b[{i}][{places}]"),
            *(
                f"a[{places} % 6, {self.pick('j', '2', '-1')}]",
                f"f[{places}]",
                f"a[i % 6, {places}]",
            ),
            *(self.reduced(), self.reduced(), self.selected(), "np.flip(u)", f"np.flip(a[{i}])"),
            *(self.product(), self.product(), f"np.roll({self.vector()}, {self.index()})"),
            *(
                f"np.diff(a[{i}])",
                "np.arange(7)",
                "np.linspace(-1, 2, 7)",
                f"u[[0, {i}, -1]]",
                f"np.diff({self.vector()})",
            ),
        )

    def product(self) -> str:
        """A matrix and a vector, seven elements most times."""
        plane = self.pick("a", "b", "a", "b", "(a - b)", "a[:, ::2]", "f[None]")
        line = self.pick(
            "u", "v", f"a[{self.index()}]", f"u[{self.ends()}]", f"b[:, {self.index()}]"
        )
        x, y = self.pick(
            *((f"{plane}.T", line), (line, plane), (plane, line), (line, f"{plane}.T")),
            *(("a.T", "a[:, 1]"), ("b[:, 2]", "b"), (f"(a @ b.T)[{self.index()}]", "a")),
        )
        return self.pick(f"({x} @ {y})", f"({x} @ {y})", f"np.dot({x}, {y})")

    def reduced(self) -> str:
        """One number for each line of a plane."""
        plane = self.pick("a", "b", "a", "m", "(a - b)", "np.abs(a)", "a[1:, :]", "b[:, ::2]")
        f = self.pick("sum", "mean", "max", "min", "argmax", "std", "var")
        axis = self.pick("0", "0", "-2", "1")
        return self.pick(f"{plane}.{f}(axis={axis})", f"np.{f}({plane}, {axis})")

    def selected(self) -> str:
        """What a mask selects."""
        line, i = self.pick("u", "v", f"a[{self.index()}]"), self.index()
        mask = self.pick(f"{line} > 0.5", f"m[{i}] > 0", "p == 1", f"(u < 1.0) & (m[{i}] != 2)")
        return f"{line}[{mask}]"

    def plane(self) -> str:
        """A statement about planes."""
        r = self.pick(":6", "1:", ":-1")
        line = self.pick(f"u[{r}]", f"v[{r}]", f"a[{self.index()}, {r}]")
        lines = self.pick("a.sum(axis=1, keepdims=True)", "b.max(axis=-1, keepdims=True)")
        value = self.pick(
            *(f"{line}[:, None] * v", f"{line}[:, np.newaxis] - u[None]", f"np.outer({line}, v)"),
            *(lines, f"{lines} * 0.25 + b", "a[:, 0:1] * b", "u + a[..., 1:2]", "b[...]"),
            *("np.eye(6, 7) * x", "a @ np.eye(7)", "b.std(axis=1, keepdims=True)"),
            *("a @ b.T @ b", "(a @ a.T) @ b", "np.dot(a, b.T) @ a", "(b.T @ a[:, :6]).T[:6]"),
            *(
                "np.roll(b, 1, axis=0)",
                f"np.roll(a, {self.index()}, axis=1)",
                "np.roll(a - b, -1, 1)",
            ),
        )
        if self.rng.random() < 0.1:
            return self.pick(
                "a[:, :6] = a[:, 1:].T", "b[:, :6] += b[:, :6].T", "a[:6, :6] -= b[:, 1:].T"
            )
        if self.rng.random() < 0.5:
            return f"{self.pick('a', 'b', 'a[...]')} {self.pick('+', '-')}= {value}"
        mask = self.pick("a > 0.5", "(b < 0.0) | (a > 2.0)", "m > 0", "a != b")
        return f"a[{mask}] {self.pick('', '*', '+')}= {self.pick('0.25', 'x', '2')}"

    def alike(self, like: str) -> str:
        """Another part that is as long, most times."""
        head = like[0]
        if head in "ab" and like.count(",") and self.rng.random() < 0.75:
            first, second = like[2:-1].split(", ", 1)
            other = self.pick("a", "b")
            if ":" in second:
                if self.rng.random() < 0.3:
                    return f"{self.pick('u', 'v')}[{second}]"
                return f"{other}[{self.index()}, {second}]"
            return f"{other}[{first}, {self.index()}]"
        if head in "uv" and self.rng.random() < 0.7:
            return self.pick("u", "v") + like[1:]
        return self.pick(like, like, self.vector())

    def value(self, like: str, depth: int) -> str:
        """What is computed element by element."""
        if depth == 0:
            near = self.alike(like)
            return self.pick(near, near, near, self.scalar(0), self.scalar(0), self.gathered())
        x, y = self.value(like, depth - 1), self.value(like, self.rng.randrange(depth))
        return self.pick(
            *(f"({x} + {y})", f"({x} - {y})", f"{x} * {y}", f"({x} * 0.5 + {y})", f"{x} / 4.0"),
            *(
                f"{x} / {y}",
                f"np.abs({x})",
                f"np.sqrt(np.abs({x}))",
                f"-({x})",
                f"np.maximum({x}, {y})",
            ),
            *(
                f"np.minimum({x}, 0.5)",
                f"({x}) ** 2",
                f"np.where({x} > {y}, {x}, 1.5)",
                f"abs({x})",
            ),
            *(f"np.exp(-np.abs({x}))", f"scaled({x}, 0.75)", f"mixed({x}, {y})", f"({x}).copy()"),
        )

    def scalar(self, depth: int) -> str:
        if depth == 0:
            return self.pick("2.0", "0.5", "i", "k", "x", "x", "3", "a[i % 6, j % 7]", "u[j % 7]")
        whole = f"({self.value(self.vector(), 1)})"
        v = self.pick(self.vector(), self.vector(), whole, self.gathered())
        w = self.alike(v) if v[0] != "(" else v
        return self.pick(
            *(f"np.sum({v})", f"{v}.sum()", f"{v}.max()", f"{v}.min()", f"np.dot({v}, {w})"),
            *(
                f"{v} @ {w}",
                f"np.mean({v})",
                f"{v}.argmax()",
                f"length({v})",
                f"np.linalg.norm({v})",
                f"moved({v}, {w})[1]",
                f"len({v})",
            ),
            *(f"({v} > 0.5).any()", f"np.sum({v} > {w})", f"{v}[0]", f"{v}[-1]", f"sum({v})"),
            *(
                "a.sum()",
                "np.mean(b)",
                "(a * b).sum()",
                "np.linalg.norm(a - b)",
                "a[1:].mean()",
                "m.sum()",
                "np.std(a)",
                "(a - b).var(ddof=1)",
                f"np.std({v})",
                f"{v}.var(ddof=2)",
            ),
        )

    def statement(self, depth: int, inside: int) -> None:
        indent = "    " * depth
        kind = self.rng.randrange(20)
        target = self.vector()
        if kind < 5:
            if "[" not in target:
                target += "[:]"
            value = self.value(target, self.rng.randrange(3))
            self.lines.append(f"{indent}{target} = {value}")
        elif kind < 8:
            value = self.value(target, self.rng.randrange(2))
            self.lines.append(f"{indent}{target} {self.pick('+', '-', '*')}= {value}")
        elif kind < 10:
            name = self.pick(*NAMES)
            value = self.value(self.vector(), self.rng.randrange(1, 3))
            self.lines.append(f"{indent}{name} = {self.pick(value, value, self.vector())}")
            if name not in self.made:
                self.made.append(name)
        elif kind < 12:
            self.lines.append(f"{indent}x = x * 0.5 + {self.scalar(1)}")
        elif kind == 12:
            where, what = self.pick("1:", ":", "::2"), self.pick("i", "1", "m[i % 6, 0]")
            self.lines.append(f"{indent}m[i % 6, {where}] += {what}")
            self.lines.append(f"{indent}f[{self.pick('1:', ':-1', ':')}] *= 0.5")
        elif kind == 14:
            i, j, rest = self.index(), self.index(), self.pick("", "", ", 1:")
            swap = f"a[{i}], a[{j}] = a[{j}].copy(), a[{i}].copy()"
            lists = f"a[[{i}, {j}]{rest}] = a[[{j}, {i}]{rest}]"
            self.lines.append(f"{indent}{self.pick(swap, lists)}")
            self.lines.append(f"{indent}u[[0, {i}]] = u[[{i}, 0]]")
        elif kind == 16:
            self.lines.append(f"{indent}{self.plane()}")
        elif kind == 17:
            line, value = self.selected(), self.pick("0.25", "x", "i", self.selected())
            self.lines.append(f"{indent}{line} {self.pick('', '', '+', '*')}= {value}")
        elif kind == 18:
            places = self.pick("p % 7", "p", "m[i % 6] % 7", "p[1:4] % 5")
            line, value = self.pick("u", "v", f"a[{self.index()}]"), self.value("u", 1)
            self.lines.append(f"{indent}{line}[{places}] {self.pick('', '', '+', '*')}= {value}")
        elif kind == 13 and inside:
            self.lines.append(f"{indent}if (i + j) % 3 == {self.pick('0', '1')}:")
            made = list(self.made)
            self.statement(depth + 1, inside - 1)
            self.made = made
        elif inside:
            self.lines.append(f"{indent}for j in range({self.pick('3', 'i', 'a.shape[0]')}):")
            made = list(self.made)
            self.statement(depth + 1, inside - 1)
            self.statement(depth + 1, inside - 1)
            self.made = made
        else:
            self.lines.append(f"{indent}x += raised({target}, 0.25)")

    def build(self) -> list[str]:
        carried = self.rng.random() < 0.25
        self.lines = [f"def {self.function}(a, b, u, v, f, m, p, n):", "    x, j, k = 0.25, 1, 2"]
        self.lines.append(f"    for i in range({self.pick('n', 'n', 'a.shape[0]', '1, n')}):")
        for _ in range(self.rng.randrange(1, 5)):
            self.statement(2, 2)
        if carried:
            name = self.pick("u", "v")
            self.lines.append(f"        {name} = {self.value(name, 1)}")
        if self.rng.random() < 0.1:
            self.lines.append("        u, v = v, u")
        given = ", ".join(f"{name}" for name in self.made)
        self.lines.append(f"    return x, u, v, i, {given}")
        for kind in self.rng.sample(range(5), 3):
            arrays = f"arrays({kind}, {self.rng.randrange(100)})"
            self.lines += [
                f"given = {arrays}",
                "try:",
                "    with np.errstate(all='ignore'):",
                f"        got = {self.function}(*given, {self.pick('6', '6', '5', '7')})",
                "    print([shown(v) for v in got], [got[1] is v for v in given])",
                "except Exception as error:",
                "    print(type(error), error)",
                f"print({self.function!r}, [shown(v) for v in given])",
            ]
        return self.lines


class Names(Program):
    """A function of arrays of one length that give each other their names."""

    def name(self) -> str:
        return self.pick("t", "w", "z", "u", "v")

    def made_of(self) -> str:
        x, y = self.name(), self.name()
        return self.pick(
            *(f"{x} * 0.5 + {y}", f"{x} - {y}", f"np.roll({x}, 1)", f"{x}.copy()", f"{x} + i"),
            *(
                f"(a[:, :6] @ {x}[1:])[[0, 1, 2, 3, 4, 5, 5]]",
                f"through({x})",
                f"{x} + a[i % 6]",
                f"upper({x})",
                f"np.hstack(({x}[:3], {y}[3:7]))",
                f"np.stack(({x}, {y}))[i % 2]",
            ),
        )

    def naming(self, indent: str, depth: int = 1) -> None:
        x, y, kind = self.name(), self.name(), self.rng.randrange(21)
        if kind == 20:
            part = self.pick("[1:]", "[:-1]", "[::-1]", "[:]", "[i % 2 :]")
            whole = self.pick(x, y, f"({x} + {y})", f"scaled({x}, 0.5)", f"through({y})")
            self.lines.append(f"{indent}{x} = {whole}{part}")
        elif kind < 6:
            self.lines.append(f"{indent}{x} = {y}")
        elif kind < 12:
            self.lines.append(f"{indent}{x} = {self.made_of()}")
        elif kind == 12:
            self.lines.append(f"{indent}{x}, {y} = {y}, {self.made_of()}")
        elif kind == 13:
            self.lines.append(f"{indent}{x}, {y} = {self.name()}, {self.name()}")
        elif kind == 14:
            place = self.pick("[i % 7]", "[1:]", "[:]", "")
            self.lines.append(f"{indent}{x}{place} {self.pick('+', '*')}= 0.5")
        elif kind == 15:
            self.lines.append(f"{indent}x += raised({x}, 0.25)")
        elif kind < 18 and depth:
            self.lines.append(f"{indent}if (i + k) % 3 == {self.pick('0', '1', '2')}:")
            self.naming(indent + "    ", depth - 1)
            if self.rng.random() < 0.3:
                leave = self.pick("break", "continue", "x += 1.0")
                self.lines.append(f"{indent}    if i > 2:\n{indent}        {leave}")
        else:
            self.lines.append(f"{indent}x = x * 0.5 + {x}.sum() - {y}[i % 7]")

    def build(self) -> list[str]:
        self.lines = [f"def {self.function}(a, u, v, n):", "    x, k, i = 0.25, 1, -1"]
        first = self.pick("u", "u", "v"), self.pick("u * 0.5", "v.copy()"), self.pick("v", "u - v")
        self.lines += [f"    {n} = {value}" for n, value in zip("twz", first, strict=True)]
        self.lines.append("    for i in range(n):")
        for _ in range(self.rng.randrange(2, 6)):
            self.naming("        ")
        self.lines.append("    return x, i, t, w, z, u, v")
        for kind in self.rng.sample(range(5), 2):
            self.lines += [
                f"a, b, u, v, f, m, p = arrays({kind}, {self.rng.randrange(100)})",
                "try:",
                "    with np.errstate(all='ignore'):",
                f"        got = {self.function}(a, u, v, {self.pick('6', '1', '3')})",
                "    own = [v for v in got[2:] if v.base is None]",
                "    print([shown(v) for v in got], [v is w for v in own for w in own])",
                "    got[2][0] = 0.125",
                "    print([shown(v) for v in (*got, a, u, v)])",
                "except Exception as error:",
                "    print(type(error), error)",
            ]
        return self.lines


class Parts(Program):
    """A function that names parts of arrays that it makes."""

    def whole(self) -> str:
        return self.pick("t", "w", "z")

    def part(self) -> str:
        return self.pick("p", "q", "r")

    def some(self) -> str:
        slices = ("[1:]", "[:3]", "[::2]", "[i % 3 :]", "[2:6]", "[::-1]", "[:]")
        return self.pick(self.whole(), self.whole(), self.part()) + self.pick(*slices)

    def made_of(self) -> str:
        t, p = self.whole(), self.part()
        return self.pick(
            *(
                f"{t} * 0.5 + i",
                f"{self.whole()} - {t}",
                "u * (i + 1.0)",
                f"{t}.copy()",
                "a[i % 6] + v",
            ),
            *(f"{t} * {p}[0]", f"np.roll({t}, 1)", f"through({t})", f"{t} + length({p})"),
        )

    def step(self, indent: str, depth: int = 1) -> None:
        t, p, kind = self.whole(), self.part(), self.rng.randrange(20)
        if kind < 6:
            self.lines.append(f"{indent}{t} = {self.made_of()}")
        elif kind < 12:
            self.lines.append(f"{indent}{p} = {self.some()}")
        elif kind == 12:
            value = self.pick("0.5", f"{self.part()}[0]", "x")
            self.lines.append(f"{indent}{p}{self.pick('[0]', '[:]', '[-1]')} = {value}")
        elif kind == 13:
            self.lines.append(f"{indent}{p} {self.pick('+', '*')}= {self.pick('0.5', 'i')}")
        elif kind == 14:
            self.lines.append(f"{indent}{t}[i % 7] = {self.pick('x', f'{p}[0]')}")
        elif kind == 15:
            self.lines.append(f"{indent}{t} = {self.whole()}")
        elif kind == 16 and depth:
            self.lines.append(f"{indent}if (i + k) % 3 == {self.pick('0', '1', '2')}:")
            self.step(indent + "    ", depth - 1)
            if self.rng.random() < 0.4:
                self.lines.append(f"{indent}    {self.pick('break', 'continue', 'x += 1.0')}")
        elif kind == 17 and depth:
            self.lines.append(f"{indent}for k in range({self.pick('0', '2', 'i % 2')}):")
            self.step(indent + "    ", depth - 1)
        elif kind == 18:
            self.lines.append(f"{indent}x += raised({p}, 0.25)")
        else:
            self.lines.append(f"{indent}x = x * 0.5 + {p}.sum() - {t}[i % 7]")

    def build(self) -> list[str]:
        self.lines = [f"def {self.function}(a, u, v, n):", "    x, k, i = 0.25, 1, -1"]
        if self.rng.random() < 0.5:
            self.lines.append("    t, w, z = u * 0.5, v.copy(), u - v")
        self.lines.append("    for i in range(n):")
        if self.rng.random() < 0.7:
            self.lines += [
                f"        {t} = {self.pick('u', 'v')} * (i + {k})" for k, t in enumerate("twz")
            ]
        self.lines += [
            f"        {p} = {self.whole()}{self.pick('[1:]', '[:4]', '[::2]')}" for p in "pqr"
        ]
        for _ in range(self.rng.randrange(1, 6)):
            self.step("        ")
        results = self.pick("p, q, r, t, w, z", "t, w, z", "p, q", "p, t", "r, w, z")
        self.lines.append(f"    return x, i, {results}")
        for kind in self.rng.sample(range(5), 2):
            self.lines += [
                f"a, b, u, v, f, m, p = arrays({kind}, {self.rng.randrange(100)})",
                "try:",
                "    with np.errstate(all='ignore'):",
                f"        got = {self.function}(a, u, v, {self.pick('6', '1', '3')})",
                "    bases = [v.base is w for v in got[2:] for w in got[2:]]",
                "    print([shown(v) for v in got], bases)",
                "    got[2][0] = 0.125",
                "    print([shown(v) for v in (*got, a, u, v)])",
                "except Exception as error:",
                "    print(type(error), error)",
            ]
        return self.lines


KINDS = {3: Names, 5: Parts, 7: Names}


def program(number: int, rng: random.Random) -> Program:
    return KINDS.get(number % 8, Program)(number, rng)


DOMAIN = Domain("arrays", "operations on whole arrays in loops", of_functions(HEAD, program), JUDGE)
