"""Random loops that make objects of the program's classes.

Operators, methods, properties, `super()`, branches in `__init__`, frozen dataclasses, objects in
objects; names that share objects, attributes assigned afterwards, comparisons by identity. What is
left behind is shown attribute by attribute, with what is one object and what is not.
"""

from __future__ import annotations

from ..compared import JUDGE
from ..domain import Domain, of_functions
from ..generator.random_function import RandomFunction
from .host_calls import HEAD

CLASSES = """\
from dataclasses import dataclass


class Vec:
    unit = 2

    def __init__(self, x, y=0.0):
        self.x = x
        self.y = y

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __sub__(self, o):
        return Vec(self.x - o.x, self.y - o.y)

    def __mul__(self, k):
        if isinstance(k, Vec):
            return self.x * k.x + self.y * k.y
        return Vec(self.x * k, self.y * k)

    def __rmul__(self, k):
        return Vec(k * self.x, k * self.y)

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __getitem__(self, k):
        return self.x if k == 0 else self.y

    def __lt__(self, o):
        return self.x < o.x

    def turned(self):
        return Vec(self.y, -self.x)

    @property
    def size(self):
        return abs(self.x) + abs(self.y) * self.unit

    @staticmethod
    def zero():
        return Vec(0, 0.5)

    @classmethod
    def of(cls, k):
        return cls(k, k * 0.5)


class Sum:
    def __init__(self, v, more=None):
        self.v = v
        if more is None:
            self.n = 1
        else:
            self.n = more

    def add(self, k):
        self.v += k
        self.n = self.n + 1
        return self.n

    def __iadd__(self, o):
        self.v += o.v
        self.n += o.n
        return self

    def __eq__(self, o):
        return self.v == o.v

    def __bool__(self):
        return self.v > 3

    @property
    def mean(self):
        return self.v / self.n

    @mean.setter
    def mean(self, m):
        self.v = m * self.n


class Body:
    def __init__(self, at, by):
        self.at = at
        self.by = by
        self.steps = 0

    def step(self, dt):
        self.at = self.at + self.by * dt
        self.steps += 1

    def ahead(self):
        return self.at


class Heavy(Body):
    def __init__(self, at, by, mass=2):
        super().__init__(at, by)
        self.mass = mass

    def step(self, dt):
        super().step(dt)
        self.mass += 1


@dataclass(frozen=True)
class Fixed:
    a: float
    b: int = 3


@dataclass
class Loose:
    a: float
    b: int = 3

    def both(self):
        return self.a * self.b


def picked(v, w, k):
    return v if k % 2 else w


def halved(v):
    return Vec(v.x * 0.5, v.y * 0.5)


def told(o, known):
    if not hasattr(o, "__dict__"):
        return shown(o)
    at = next((k for k, other in enumerate(known) if other is o), None)
    if at is not None:
        return at
    known.append(o)
    return type(o).__name__, {k: told(v, known) for k, v in vars(o).items()}


def called(f, *given):
    known = []
    try:
        print([told(o, known) for o in f(*given)])
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)][1:]
        print(type(error), error, lines)
    print([told(o, known) for o in given])
"""

VECS, SUMS, BODIES = ("p", "q", "r"), ("a", "b"), ("m",)


class Program(RandomFunction):
    """One function, and what is printed of its calls."""

    def number(self, depth: int = 1) -> str:
        if depth == 0:
            return self.pick("i", "n", "1", "0.5", "s", "i", "2", "j")
        v, w = self.pick(*VECS), self.pick(*SUMS)
        return self.pick(
            *(f"{v}.x", f"{v}.y", f"{v}.size", f"{v}[{self.pick('0', '1', 'i')}]", f"{w}.v"),
            *(
                f"{v} * {self.pick(*VECS)}",
                f"{w}.n",
                f"{w}.mean",
                "m.steps",
                "m.at.x",
                "f.a",
                "g.b",
            ),
            *(f"{self.number(0)} {self.pick('+', '-', '*')} {self.number(0)}", "g.both()"),
            *(f"({self.vec(0)}).x", f"({self.vec(0)}).size", "m.ahead().y", f"halved({v}).x"),
        )

    def vec(self, depth: int = 1) -> str:
        v, w = self.pick(*VECS), self.pick(*VECS)
        if depth == 0:
            return self.pick(v, f"Vec({self.number(0)}, {self.number(0)})", f"{v} + {w}")
        return self.pick(
            *(f"{v} + {w}", f"{v} - {w} * 0.5", f"2 * {v}", f"-{v}", f"{v}.turned()", "Vec.zero()"),
            *(f"Vec({self.number(0)}, {self.number(0)})", f"Vec({self.number()})", "Vec.of(i)"),
            *(
                f"halved({self.vec(0)})",
                f"Vec(y={self.number(0)}, x=i)",
                f"({self.vec(0)}).turned()",
            ),
            *(f"{v} if {self.test(0)} else {self.vec(0)}", f"picked({v}, {w}, i)", "m.ahead()"),
            *(f"{v} - {self.vec(0)}", f"{self.number(0)} * {v} + {w}", v, "m.at", "m.by"),
        )

    def test(self, depth: int = 1) -> str:
        v, w = self.pick(*VECS), self.pick(*VECS)
        tests = [
            *("i % 3 == 1", f"{v}.x > {self.number(0)}", f"{v} < {w}", f"{v} is {w}"),
            *(f"{self.pick(*SUMS)}", "a == b", f"not {self.pick(*SUMS)}", f"{v} is not None"),
            *(f"{v} == {w}", "a != b", f"{v} is not {w}"),
        ]
        if depth:
            tests += [f"{self.test(0)} {self.pick('and', 'or')} {self.test(0)}"]
        return self.pick(*tests)

    def change(self) -> str:
        v, w = self.pick(*VECS), self.pick(*SUMS)
        changes = [
            *(f"{v} = {self.vec()}", f"{v} = {self.vec()}", f"{v} = {self.vec()}"),
            *(f"{w} = Sum({self.number(0)})", f"{w} = Sum({self.number()}, {self.number(0)})"),
            *(f"{w}.add({self.number(0)})", f"s += {self.number()}", f"s += {self.number()}"),
            *(f"{w}.v += {self.number(0)}", f"{w}.n = {self.number(0)}", f"{w} += Sum(i, 1)"),
            *(f"m.step({self.pick('0.5', '1', '0.25')})", f"{w}.mean = {self.number(0)}"),
            *(f"m = {self.pick('Body', 'Heavy')}({self.vec(0)}, {self.vec(0)})",),
            *(f"f = Fixed({self.number(0)}, {self.number(0)})", f"g = Loose({self.number(0)})"),
            *(f"g.a = {self.number(0)}", f"s += {w}.add(1)", f"p, q = q, {self.vec(0)}"),
            *(f"{v} += {self.vec(0)}", f"{v} *= 0.5", f"{v} = {self.pick(*VECS)}"),
        ]
        if self.rng.random() < 0.06:
            changes = [
                *(f"{v}.x += 1", f"{w} = {self.pick(*SUMS)}", f"{v}.z = i", "f.a = 2"),
                *(f"{v} = None", f"{w} = Sum(1 // (i - 7))", f"{v} = {self.number()}"),
                *(f"s += {v}.nothing", f"m.at = {self.pick(*VECS)}", f"{v} = Vec()"),
            ]
        return self.pick(*changes)

    def statement(self, depth: int, inside: int) -> None:
        indent = "    " * depth
        kind = self.rng.randrange(9)
        if kind < 6 or not inside:
            self.lines.append(f"{indent}{self.change()}")
        elif kind == 6:
            self.lines.append(f"{indent}for j in range({self.pick('3', 'i % 4', '2')}):")
            self.nested(depth + 1, inside - 1)
        elif kind == 7 and self.rng.random() < 0.4:
            self.lines.append(f"{indent}if {self.test()} and i > 5:")
            self.lines.append(f"{indent}    {self.pick('break', 'continue')}")
        else:
            self.branches(self.test(), depth, inside)

    def build(self) -> list[str]:
        self.lines = [
            f"def {self.function}(p, q, n):",
            "    s, i, j, r, m = 0, 0, 0, Vec(1, 2), Heavy(Vec(0.5, 1), Vec(1, 0.25))",
            "    a, b, f, g = Sum(2), Sum(0.5, 3), Fixed(1.5), Loose(2, 2)",
            "    o = [p, q, r, a, b, m]",
            self.pick("    for i in range(n):", "    while i < n:"),
        ]
        if "while" in self.lines[-1]:
            self.lines.append("        i += 1")
        self.lines.append("        s = s if -1e40 < s < 1e40 else 1")
        for _ in range(self.rng.randrange(1, 6)):
            self.statement(2, self.rng.choice((0, 1, 1, 2)))
        self.lines.append("    return s, i, j, p, q, r, a, b, m, f, g, *o")
        for _ in range(4):
            given = self.pick("Vec(1, 2), Vec(0.5, 3)", "Vec(2), Vec(1)", "*[Vec(1.5, 0.5)] * 2")
            self.lines.append(
                f"called({self.function}, {given}, {self.pick('0', '1', '9', '60', '200')})"
            )
        return self.lines


DOMAIN = Domain(
    "made",
    "objects of the program's classes that loops make",
    of_functions(HEAD + CLASSES, Program),
    JUDGE,
)
