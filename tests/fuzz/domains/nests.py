"""Random loop nests of the kinds that rewritings are for, in every legal form.

Every function is one nest with a purpose: rows that could change places, statements that could have
loops of their own, sweeps in place, work arrays, histograms, index arrays, the best so far, views
that overlap. Purpose and chance together: each kind comes with a subscript or a bound changed here
and there, so that the rewriting would be wrong.

Nearly all subscripts are inside their arrays by construction, since a nest that stops at once shows
nothing; a few are not.
"""

from __future__ import annotations

import random

from differential import Treatment

from ..compared import JUDGE
from ..domain import Domain
from ..generator.nest_writer import Counter, Writer

HEADER = '''"""Random nests, seed {seed}."""

import math

import numpy as np
from showing import attempt, show


def data(shape, dtype, seed, odd=False):
    """Small numbers; `odd`: a few that are none, infinite, -0.0, the least or the greatest."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    a = rng.integers(0 if kind == "u" else -9, 10, shape).astype(dtype)
    if kind == "f":
        a *= np.array(0.37, dtype)
    if odd and a.size:
        info = np.iinfo(dtype) if kind in "iu" else None
        some = [info.min, info.max, 0] if info else [np.nan, np.inf, -np.inf, -0.0, 0.0]
        a.flat[rng.integers(0, a.size, 3)] = rng.choice(np.array(some, dtype), 3)
    return a


def places(count, below, seed, how="any", dtype="int64"):
    """An index array: `any` places, `distinct`, or `sorted` ones with repetitions."""
    rng = np.random.default_rng(seed)
    if how == "distinct" and count <= below:
        return rng.permutation(below)[:count].astype(dtype)
    found = rng.integers(0, max(below, 1), count)
    return (np.sort(found) if how == "sorted" else found).astype(dtype)


def strided(a):
    """The same elements, every other one of a larger array, the last axis backwards."""
    room = np.zeros([2 * n for n in a.shape], a.dtype)
    view = room[tuple(slice(None, None, 2) for _ in a.shape)][..., ::-1]
    view[...] = a
    return view
'''


class Nest(Writer):
    """A nest of one kind."""

    def __init__(self, number: int, rng: random.Random, kind: str):
        super().__init__(number, rng)
        self.kind = kind

    def nest(self) -> None:
        getattr(self, self.kind)()

    def elementwise(self) -> None:
        """Any number of loops, each element once."""
        sizes = [self.size() for _ in range(self.pick(1, 2, 2, 3))]
        self.array("a", *sizes)
        self.array("b", *sizes)
        near = [self.loop(d, s) for d, s in enumerate(sizes)]
        depth = self.guarded(len(sizes), 0.3, *near)
        t = self.value(*near)
        if self.chance(0.4):
            self.emit(depth, f"t = {t}")
            t = "t"
            if self.chance(0.5):
                self.results.append("t")
        # Sometimes what was read is written too: iterations meet, or do not.
        target = self.arrays[self.pick("a", "a", "b")]
        self.emit(depth, f"{self.element(target, *near)} = {t}")

    def accumulate(self) -> None:
        """Elements that a loop keeps adding to; the loops in any order."""
        i, j, k = "n", self.size(), self.size()
        self.array("c", i, j) if self.chance(0.6) else self.array("c", i)
        self.array("a", i, k)
        self.array("b", k, j)
        self.deep = True
        sizes = [i, j, k]
        self.rng.shuffle(sizes)
        near = [self.loop(d, s, plain=self.chance(0.6)) for d, s in enumerate(sizes)]
        where = self.element(self.arrays["c"], *near)
        left, right = self.element(self.arrays["a"], *near), self.element(self.arrays["b"], *near)
        depth = self.guarded(3, 0.2, *near)
        value = self.pick(f"{left} * {right}", f"{left} + {right}", self.value(*near, depth=1))
        if not self.floats:
            value = f"({value}) % 7"
        self.emit(depth, f"{where} {self.pick('+=', '+=', '-=')} {value}")

    def columns(self) -> None:
        """Walks down columns; dependences allow some orders of the loops and forbid others."""
        rank = self.pick(2, 2, 3)
        sizes = ["n", self.size(), self.size()][:rank]
        self.deep = rank > 2
        a = self.array("a", *sizes)
        b = self.array("b", *sizes)
        order = list(range(rank))
        self.rng.shuffle(order)
        places: list[Counter | None] = [None] * rank
        for depth, axis in enumerate(order):
            places[axis] = self.loop(depth, sizes[axis], margin=self.pick(0, 1), plain=True)
        near = [c for c in places if c]
        depth = self.guarded(rank, 0.2, *near)
        target = f"a[{', '.join(c.name for c in near)}]"
        read = [self.shift(self.pick(a, a, b), near) for _ in range(self.pick(1, 2))]
        self.emit(depth, f"{target} = {self.mixed([*read, self.leaf(*near)])}")

    def statements(self) -> None:
        """Statements of which some could have a loop of their own."""
        depth = self.pick(1, 1, 2)
        sizes = ["n", self.size()][:depth]
        names = "abcd"[: self.pick(2, 3, 4)]
        for name in names:
            self.array(name, *sizes)
        self.array("r", *sizes)
        near = [self.loop(d, s, margin=self.pick(1, 1, 0)) for d, s in enumerate(sizes)]
        for name in names:
            target = self.arrays[name]
            inner = self.guarded(depth, 0.2, *near)
            others = [self.shift(self.rng.choice(list(self.arrays.values())), near)]
            others += [self.shift(target, near)] if self.chance(0.5) else []
            others += [self.leaf(*near)]
            counters = ", ".join(c.name for c in near)
            if self.chance(0.2):
                self.emit(inner, f"t = {self.mixed(others)}")
                self.emit(inner, f"{name}[{counters}] = t")
            else:
                self.emit(inner, f"{name}[{counters}] = {self.mixed(others)}")

    def sweep(self) -> None:
        """Elements from their neighbours in place, some of them new, some old."""
        square = self.chance(0.5)
        sizes = ["n", "n" if square else "m"]
        a = self.array("a", *sizes)
        b = self.array("b", *sizes)
        depth = 0
        if self.chance(0.4):
            self.deep = True
            self.emit(0, f"for s in range({self.pick(1, 2, 3)}):")
            depth = 1
        margin = self.pick(1, 1, 2)
        rows = self.loop(depth, sizes[0], margin=margin, plain=self.chance(0.7))
        if square and self.chance(0.2):
            # A triangle, as tables of intervals have it.
            self.emit(depth + 1, f"for j in range({rows.name} + 1, n - {margin}):")
            columns = Counter("j", "n", margin + 1, margin)
            self.counters.append(columns)
        else:
            columns = self.loop(depth + 1, sizes[1], margin=margin, plain=self.chance(0.7))
        near = [rows, columns]
        inner = self.guarded(depth + 2, 0.15, *near)
        terms = [self.shift(a, near) for _ in range(self.pick(1, 2, 3, 4))]
        terms += [self.shift(b, near)] if self.chance(0.5) else []
        self.emit(inner, f"a[{rows.name}, {columns.name}] = {self.mixed(terms)}")
        if self.chance(0.25):
            self.emit(inner, f"t = a[{rows.name}, {columns.name}]")
            self.results.append("t")

    def work(self) -> None:
        """An array that each iteration writes anew before it reads it, or nearly so."""
        # Columns may be as many as the row's number says.
        size = self.pick("n", "m")
        self.array("a", size, "m")
        out = self.array("b", size, "m")
        self.array("w", "m")
        rows = self.loop(0, size)
        for part in range(self.pick(2, 2, 3)):
            # Where a later loop is longer than the first, something flows from row to row.
            same = part and self.chance(0.6)
            columns = self.again(1) if same else self.loop(1, "m", plain=self.chance(0.6))
            inner = self.guarded(2, 0.1, rows, columns)
            target = self.arrays["w"] if part == 0 or self.chance(0.3) else out
            near = [rows, columns] if target is out else [columns]
            source = self.arrays[self.pick("a", "w", "w") if part else "a"]
            value = self.element(source, *([columns] if source.name == "w" else [rows, columns]))
            value = self.mixed([value, self.leaf(rows, columns)])
            self.emit(inner, f"{self.element(target, *near)} = {value}")
            self.leave()

    def histogram(self) -> None:
        """Updates of elements that iterations share."""
        self.floats = self.chance(0.4)
        x = self.array("x", "n", kind="x", below="m")
        self.array("h", "m")
        v = self.array("v", "n")
        i = self.loop(0, "n")
        depth = 1
        if self.chance(0.3):
            self.loop(1, "n")
            depth = 2
        depth = self.guarded(depth, 0.3, i)
        place = self.element(x, i)
        if self.chance(0.3):
            self.emit(depth, f"p = {place}")
            place = "p"
        value = self.pick("1", self.element(v, i), self.leaf(i))
        operator = self.pick("+=", "+=", "-=", "|=", "^=", "*=") if not self.floats else "+="
        best = self.pick("min", "max")
        way = self.rng.randrange(4)
        if way == 0:
            self.emit(depth, f"h[{place}] {operator} {value}")
        elif way == 1:
            self.emit(depth, f"h[{place}] = {best}(h[{place}], {value})")
        elif way == 2:
            self.emit(depth, f"h[{place}] = {best}({value}, h[{place}])")
        else:
            self.emit(depth, f"if {value} {self.pick('<', '>', '<=')} h[{place}]:")
            self.emit(depth + 1, f"h[{place}] = {value}")
        if self.chance(0.2):
            # Somebody looks while it is being made.
            self.emit(depth, f"t = h[{self.pick(place, '0')}]")
            self.results.append("t")

    def best(self) -> None:
        """The best so far and what goes along with it."""
        sizes = ["n", self.size()][: self.pick(1, 2)]
        a = self.array("a", *sizes)
        self.array("b", *sizes)
        start = self.pick("a[" + ", ".join("0" for _ in sizes) + "]", "1e30", "-1e30", "0", "3.0")
        self.emit(0, f"best = {start}")
        self.emit(0, "at = -1")
        near = [self.loop(d, s) for d, s in enumerate(sizes)]
        depth = self.guarded(len(sizes), 0.2, *near)
        value = self.pick(self.element(a, *near), self.value(*near, depth=1))
        companions = [("at", near[-1].name)]
        if len(near) > 1 or self.chance(0.4):
            companions.append(("with_it", self.pick(near[0].name, self.element(a, *near))))
            self.lines.insert(0, "    with_it = -1")
        if self.chance(0.5):
            self.emit(depth, f"t = {value}")
            value = "t"
        sign = self.pick("<", "<", ">", ">", "<=", ">=")
        test = f"{value} {sign} best" if self.chance(0.7) else f"best {sign} {value}"
        self.emit(depth, f"if {test}:")
        body = [f"best = {value}", *(f"{name} = {c}" for name, c in companions)]
        self.rng.shuffle(body)
        for text in body:
            self.emit(depth + 1, text)
        self.results += ["best", *(name for name, _ in companions)]

    def last(self) -> None:
        """What some iteration assigned last."""
        sizes = ["n", self.size()][: self.pick(1, 1, 2)]
        self.array("a", *sizes)
        self.array("b", *sizes)
        names = ["s", "t", "u"][: self.pick(1, 2, 3)]
        for name in names:
            if self.chance(0.7):
                self.emit(0, f"{name} = {self.pick('0', '0.0', '-1', 'None')}")
        near = [self.loop(d, s) for d, s in enumerate(sizes)]
        depth = len(sizes)
        for name in names:
            inner = self.guarded(depth, 0.7, *near)
            self.emit(inner, f"{name} = {self.pick(self.value(*near, depth=1), near[-1].name)}")
            if self.chance(0.4):
                self.emit(inner, f"{self.element(self.arrays['b'], *near)} = {name}")
        self.results += names

    def scatter(self) -> None:
        """Elements at the places that index arrays name."""
        x = self.array("x", "n", kind="x", below="m")
        self.array("a", "m")
        b = self.array("b", "n")
        if self.chance(0.35):
            # Rows of unequal length, one after the other.
            i = self.loop(0, "n", plain=True)
            self.array("p", "n + 1", kind="x", below="m")
            self.emit(1, f"for k in range(p[{i.name}], p[{i.name} + 1]):")
            self.counters.append(Counter("k", "m", 0, 0))
            value = self.pick(self.element(b, i), "a[k] + 1", f"0.5 * a[k] + {self.leaf(i)}")
            self.emit(2, f"{self.pick('a[k]', 'a[k]', 'a[k]', 'b[' + i.name + ']')} = {value}")
            return
        i = self.loop(0, "n")
        depth = self.guarded(1, 0.3, i)
        place = f"a[{self.element(x, i)}]"
        value = self.pick(self.element(b, i), f"{place} + 1", self.value(i), f"{place} * 0.5")
        self.emit(depth, f"{place} = {value}" if self.chance(0.7) else f"{place} += {value}")
        if self.chance(0.3):
            self.emit(depth, f"{self.element(b, i)} = {place}")

    def views(self) -> None:
        """Arrays that may be parts of each other."""
        rank = self.pick(1, 1, 2)
        self.square = True
        sizes = ["n"] * rank
        a = self.array("a", *sizes)
        b = self.array("b", *sizes)
        near = [self.loop(d, s, margin=self.pick(0, 1)) for d, s in enumerate(sizes)]
        depth = self.guarded(rank, 0.2, *near)
        terms = [self.shift(self.pick(a, b, b), near) for _ in range(self.pick(1, 2))]
        self.emit(depth, f"{self.shift(a, near)} = {self.mixed([*terms, self.constant()])}")
        if rank == 1:
            self.aliased = ["b = a", "b = a[::-1]", "a, b = a[1:], a[:-1]", "a, b = a[:-1], a[1:]"]
            self.aliased += ["a, b = a[:-3], a[3:]", "a, b = a[::2], a[1::2]"]
        else:
            self.aliased = ["b = a", "b = a.T", "b = a[::-1]", "a, b = a[1:], a[:-1]", "a = b.T"]
            self.aliased += ["a, b = a[:, 1:], a[:, :-1]", "a, b = a[1:, :-1], a[:-1, 1:]"]

    def symbols(self) -> None:
        """Whether iterations meet is for the values of a call to say."""
        self.array("a", "5 * n + 20")
        b = self.array("b", "n")
        k, s = self.number("k", 0, 9), self.number("s", 0, 5)
        near = [self.loop(0, "n", plain=self.chance(0.5))]
        i = near[0].name
        depth = 1
        if self.chance(0.3):
            j = self.loop(1, self.pick("n", "4")).name
            self.deep = True
            depth = 2
            forms = [f"{s} * {i} + {j}", f"{i} + {k} * {j}", f"4 * {i} + {j} % 4", f"{i} + {k}"]
        else:
            forms = [
                i,
                f"{i} + {k}",
                f"{s} * {i}",
                f"{s} * {i} + {k}",
                f"2 * {i}",
                f"2 * {i} + {k}",
            ]
        depth = self.guarded(depth, 0.2, *near)
        target, source = self.rng.choice(forms), self.rng.choice(forms)
        extra = self.element(b, *near)
        self.emit(depth, f"a[{target}] = {self.mixed([f'a[{source}]', extra])}")

    def reduce(self) -> None:
        """Sums, products, flags, counts of what ints give; floats keep their order."""
        sizes = ["n", self.size()][: self.pick(1, 2)]
        self.floats = self.chance(0.3)
        self.array("a", *sizes)
        self.array("b", *sizes)
        names = ["s", "t"][: self.pick(1, 2)]
        for name in names:
            self.emit(0, f"{name} = {self.pick('0', '1', '0.0', 'True', '-5')}")
        near = [self.loop(d, s) for d, s in enumerate(sizes)]
        for name in names:
            inner = self.guarded(len(sizes), 0.4, *near)
            value = self.pick(self.leaf(*near), self.value(*near, depth=1), "1")
            texts = [f"{name} += {value}", f"{name} = {name} + {value}", f"{name} -= {value}"]
            texts += [f"{name} = {self.pick('min', 'max')}({name}, {value})"]
            if not self.floats:
                texts += [f"{name} {self.pick('|=', '&=', '^=')} int({value})", f"{name} *= 1"]
            self.emit(inner, self.rng.choice(texts))
        self.results += names

    def halves(self) -> None:
        """Iterations meet at one place of the loop, or across it."""
        self.array("a", "n")
        self.array("b", "n")
        i = self.loop(0, "n", margin=self.pick(0, 0, 1))
        k = self.number("k", -1, 12)
        depth = 1
        if self.chance(0.4):
            depth = 2
            self.emit(
                1, f"if {i.name} {self.pick('<', '>=', '==', '!=')} {self.pick(k, '0', 'n // 2')}:"
            )
        place = self.pick(
            "0", "n - 1", f"n - 1 - {i.name}", f"min({k}, n - 1)", f"{i.name} // 2", "-1"
        )
        value = self.mixed([f"a[{place}]", self.element(self.arrays["b"], i)])
        self.emit(depth, f"a[{self.pick(i.name, i.name, i.name, place)}] = {value}")
        if depth == 2 and self.chance(0.6):
            self.emit(1, "else:")
            self.emit(
                2, f"{self.shift(self.arrays['a'], [i])} = {self.shift(self.arrays['a'], [i])}"
            )

    def ends(self) -> None:
        """Neighbours in a circle, or as far as there are any: the first and last ones differ."""
        sizes = ["n", "m"][: self.pick(1, 2)]
        self.array("a", *sizes)
        self.array("b", *sizes)
        near = [self.loop(d, s, plain=True) for d, s in enumerate(sizes)]
        j, size = near[-1].name, sizes[-1]
        before = self.pick(f"{j} - 1", f"max({j} - 1, 0)", f"({j} - 1) % {size}")
        behind = self.pick(
            f"({j} + 1) % {size}", f"min({j} + 1, {size} - 1)", f"({j} + 2) % {size}"
        )
        at = "".join(f"{c.name}, " for c in near[:-1])
        source = self.pick("a", "a", "a", "b")
        depth = len(sizes)
        if self.chance(0.3):
            self.emit(depth, f"if {j} {self.pick('> 0', f'< {size} - 1', '!= 0', '>= 2')}:")
            depth += 1
        terms = [f"{source}[{at}{before}]", f"{source}[{at}{behind}]", f"a[{at}{j}]"]
        self.emit(depth, f"b[{at}{j}] = {self.mixed(terms)}")

    def ahead(self) -> None:
        """Elements that later iterations write are read, and perhaps some of earlier ones."""
        rank = self.pick(1, 1, 2)
        sizes = ["n", "m"][:rank]
        a = self.array("a", *sizes)
        self.array("b", *sizes)
        depth = 0
        if self.chance(0.3):
            self.deep = True
            self.emit(0, f"for s in range({self.pick(2, 3)}):")
            depth = 1
        near = [
            self.loop(depth + d, s, margin=self.pick(1, 2), plain=True) for d, s in enumerate(sizes)
        ]
        steps = [-1 if "-1):" in line else 1 for line in self.lines[-rank:]]
        inner = self.guarded(depth + rank, 0.2, *near)
        terms = []
        for _ in range(self.pick(1, 2)):
            back = self.chance(0.15)
            k = self.rng.randint(0, near[0].hi) * steps[0] * (-1 if back else 1)
            first = f"{near[0].name} + {k}" if k else near[0].name
            others = [f"{c.name} + {self.rng.randint(-c.lo, c.hi)}" for c in near[1:]]
            terms.append(f"a[{', '.join([first, *others])}]".replace("+ -", "- "))
        target = f"a[{', '.join(c.name for c in near)}]"
        self.emit(inner, f"{target} = {self.mixed([*terms, self.leaf(*near)])}")
        if self.chance(0.2):
            self.emit(inner, f"t = {self.shift(a, near)}")
            self.results.append("t")

    def counting(self) -> None:
        """Variables that count along with the loops."""
        self.array("a", "3 * n * m + 20")
        self.array("b", "n")
        self.emit(0, f"k = {self.pick('0', '3', 'n')}")
        i = self.loop(0, "n")
        inner = 1
        if self.chance(0.4):
            inner = 2
            self.loop(1, self.pick("m", "n"))
        value = self.mixed(
            [self.element(self.arrays["b"], i), self.pick("a[k]", "a[k - 1]", "k", "1")]
        )
        body = [f"a[{self.pick('k', 'k', 'k + 1')}] = {value}"]
        body.insert(
            self.pick(0, 1), f"k {self.pick('+=', '+=', '+=', '-=')} {self.pick('1', '1', '2')}"
        )
        for text in body:
            self.emit(self.guarded(inner, 0.1, i), text)
        if inner == 2 and self.chance(0.5):
            self.emit(1, f"k += {self.pick('1', 'm')}")
        self.results.append("k")

    def anything(self) -> None:
        """Loops and statements without a purpose."""
        for name, rank in zip("abc", [self.pick(1, 2), self.pick(1, 2, 3), 1], strict=True):
            self.array(name, *[self.size() for _ in range(rank)])
        if self.chance(0.3):
            self.array("x", "n", kind="x", below="n")
        depth = self.pick(1, 2, 2, 3, 4)
        self.deep = depth > 2
        self.block(0, depth)

    def block(self, depth: int, left: int) -> None:
        counter = self.loop(depth, self.size())
        at = depth + 1
        for _ in range(self.pick(0, 1, 1, 2) if left > 1 else self.pick(1, 2)):
            self.statement(at)
        if left > 1:
            self.block(at, left - 1)
            if self.chance(0.3):
                self.statement(at)
        if self.chance(0.08):
            self.emit(at, f"if {self.condition(counter)}:")
            self.emit(at + 1, self.pick("break", "continue"))
        self.leave()

    def statement(self, depth: int) -> None:
        near = [c for c in self.counters if self.chance(0.8)]
        values = [a for a in self.arrays.values() if a.kind != "x"]
        inner = self.guarded(depth, 0.2, *near)
        target = self.element(self.rng.choice(values), *near)
        if "x" in self.arrays and self.chance(0.3):
            fits = [c for c in near if c.size == "n"]
            flat = [a for a in values if a.sizes == ("n",)]
            if flat:
                target = f"{flat[0].name}[{self.element(self.arrays['x'], *fits)}]"
        value = self.value(*near)
        if not self.floats:
            value = f"({value}) % 50"
        self.emit(inner, f"{target} = {value}")


KINDS = [
    "elementwise",
    "accumulate",
    "columns",
    "statements",
    "sweep",
    "work",
    "histogram",
    "best",
    "last",
    "scatter",
    "views",
    "symbols",
    "reduce",
    "halves",
    "ends",
    "ahead",
    "counting",
    "anything",
]


def script(seed: int, functions: int = len(KINDS)) -> str:
    """The text of one program: so many nests, their kinds in turn."""
    rng = random.Random(seed)
    parts = [HEADER.format(seed=seed)]
    for number in range(functions):
        kind = KINDS[number % len(KINDS)]
        parts.append("\n".join(Nest(number, rng, kind).build()))
    return "\n\n".join(parts) + "\n"


# Forms of nests for tests, each as often as it is hard to get right.
FORMS = [
    "every",
    "wavefront",
    "distribution",
    "interchange",
    "rewritten",
    "scalar-replacement",
    "written",
    "loop-versioning",
]


def rotation(seed: int) -> list[Treatment]:
    """On one core; on threads, part by part in an order by the seed; on threads as they come."""
    count = len(FORMS)
    form, other = FORMS[seed % count], FORMS[(seed // count + seed + 1) % count]
    few, many = (2, 5) if seed % 2 else (5, 2)
    alone = ["every", "rewritten", "interchange"][seed % 3]
    return [
        Treatment("serial", 1, f"{alone}:{seed}"),
        Treatment("threads", few, f"{form}:{seed}"),
        Treatment("threads", many, other),
    ]


DOMAIN = Domain("nests", "nests in every legal form", script, JUDGE, len(KINDS), rotation)
