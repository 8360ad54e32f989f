"""What random nests are written with: loops, subscripts that mostly fit, values, calls.

The domain `nests` has the kinds of nests.
"""

from __future__ import annotations

import random
from typing import NamedTuple

FLOATS = ["float64"] * 6 + ["float32"] * 2
INTS = ["int64"] * 6 + ["int32", "int16", "uint8", "uint32"]


class Counter(NamedTuple):
    """A loop variable over a size; `name + k` is inside for -lo <= k <= hi."""

    name: str
    size: str
    lo: int
    hi: int


class Array(NamedTuple):
    """A parameter; `kind` i or f, or x for an index array; `sizes` its shape."""

    name: str
    kind: str
    sizes: tuple[str, ...]
    below: str = ""  # what the elements of an index array are subscripts for


class Writer:
    """One function around one nest, and its calls."""

    def __init__(self, number: int, rng: random.Random):
        self.rng = rng
        self.name = f"f{number}"
        self.lines: list[str] = []
        self.arrays: dict[str, Array] = {}
        self.counters: list[Counter] = []
        self.scalars: dict[str, tuple[int, int]] = {}  # ints that calls choose, between these
        self.results: list[str] = []
        self.named: list[str] = []  # the names of loop variables
        self.floats = rng.random() < 0.65
        self.square = rng.random() < 0.6
        self.deep = False  # so many loops that sizes have to be small
        self.left: tuple[str, Counter] | None = None  # the last header, to be written once more
        self.aliased: list[str] = []  # statements of a call that make arrays overlap

    # -- chance ----------------------------------------------------------------------------

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    # -- text ------------------------------------------------------------------------------

    def emit(self, depth: int, text: str) -> None:
        self.lines.append("    " * (depth + 1) + text)

    def array(self, name: str, *sizes: str, kind: str = "", below: str = "") -> Array:
        if name not in self.arrays:
            kind = kind or ("f" if self.floats else "i")
            self.arrays[name] = Array(name, kind, sizes, below)
        return self.arrays[name]

    def size(self) -> str:
        return "n" if self.square else self.pick("n", "m")

    # -- loops -----------------------------------------------------------------------------

    def loop(self, depth: int, size: str, plain: bool = False, margin: int = 0) -> Counter:
        """Writes a header; `margin`: neighbours on both sides are inside."""
        name = "ijklpq"[len(self.counters)]
        if name not in self.named:
            self.named.append(name)
        around = [c for c in self.counters if c.size == size]
        ranges = self.ranges(size, margin)
        if around and not plain and not margin and self.chance(0.35):
            ranges = self.triangles(size, self.rng.choice(around))
        elif plain:
            ranges = ranges[:1]
        text, lo, hi = self.rng.choice(ranges)
        header = f"for {name} in range({text}):"
        self.emit(depth, header)
        counter = Counter(name, size, lo, hi)
        self.left = header, counter
        self.counters.append(counter)
        return counter

    def ranges(self, size: str, margin: int) -> list[tuple[str, int, int]]:
        k = margin
        if margin:
            return [
                (f"{k}, {size} - {k}", k, k),
                (f"{k}, {size} - {k}", k, k),
                (f"{size} - {k + 1}, {k - 1}, -1", k, k),
                (f"{k}, {size} - {k}, {self.pick(2, 3)}", k, k),
            ]
        return [
            (size, 0, 0),
            (f"1, {size}", 1, 0),
            (f"{size} - 1", 0, 1),
            (f"1, {size} - 1", 1, 1),
            (f"{size} - 1, -1, -1", 0, 0),
            (f"{size} - 2, 0, -1", 1, 1),
            (f"0, {size}, {self.pick(2, 3)}", 0, 0),
            (f"{size} - 1, 0, -2", 1, 0),
            (f"2, {size} - 2", 2, 2),
        ]

    def triangles(self, size: str, c: Counter) -> list[tuple[str, int, int]]:
        i = c.name
        return [
            (f"{i}, {size}", c.lo, 0),
            (f"{i} + 1, {size}", c.lo + 1, 0),
            (i, 0, c.hi + 1),
            (f"{i} + 1", 0, c.hi),
            (f"{i}, -1, -1", 0, c.hi),
            (f"max(0, {i} - 2), min({size}, {i} + 3)", 0, 0),
            (f"{i} % 3, {size}, 3", 0, 0),
        ]

    def again(self, depth: int) -> Counter:
        """Writes the header of the loop that was left last once more."""
        header, counter = self.left
        self.emit(depth, header)
        self.counters.append(counter)
        return counter

    def leave(self, count: int = 1) -> None:
        del self.counters[len(self.counters) - count :]

    # -- expressions -----------------------------------------------------------------------

    def index(self, size: str, near: Counter | None = None) -> str:
        """A subscript for an axis of `size`."""
        fitting = [c for c in self.counters if c.size == size]
        c = near or (self.rng.choice(fitting) if fitting else None)
        if c is None:
            if not self.counters or self.chance(0.3):
                return self.pick("0", "-1", f"{size} // 2")
            return f"{self.rng.choice(self.counters).name} % {size}"
        roll = self.rng.random()
        if near is not None or roll < 0.72:
            k = self.rng.randint(-c.lo, c.hi)
            if self.chance(0.02):
                k += self.pick(-1, 1)
            return c.name if not k else f"{c.name} {'+' if k > 0 else '-'} {abs(k)}"
        other = self.rng.choice(self.counters)
        return self.pick(
            f"{size} - 1 - {c.name}",
            f"min({c.name} + 1, {size} - 1)",
            f"max({c.name} - 1, 0)",
            f"({c.name} + 1) % {size}",
            f"({c.name} + {other.name}) % {size}",
            f"abs({c.name} - {other.name}) % {size}",
            f"{c.name} // 2",
            f"2 * {c.name} % {size}",
            self.number("k0", -2, 3, f"{c.name} + {{}}"),
        )

    def number(self, name: str, lo: int, hi: int, form: str = "{}") -> str:
        """A text with an int that calls choose."""
        self.scalars.setdefault(name, (lo, hi))
        return form.format(name)

    def element(self, array: Array, *near: Counter) -> str:
        """A subscripted array, by the given counters where they fit."""
        parts = []
        left = list(near)
        for size in array.sizes:
            fits = next((c for c in left if c.size == size), None)
            if fits:
                left.remove(fits)
            parts.append(self.index(size, fits))
        return f"{array.name}[{', '.join(parts)}]"

    def leaf(self, *near: Counter) -> str:
        values = [a for a in self.arrays.values() if a.kind != "x"]
        roll = self.rng.random()
        if values and roll < 0.75:
            fits = near if self.chance(0.7) else ()
            return self.element(self.rng.choice(values), *fits)
        if self.counters and roll < 0.85:
            return self.rng.choice(self.counters).name
        return self.constant()

    def constant(self) -> str:
        if self.floats:
            return self.pick("0.5", "1.25", "-0.75", "2.0", "3")
        return self.pick("1", "2", "3", "-1")

    def value(self, *near: Counter, depth: int = 2) -> str:
        if depth == 0 or self.chance(0.2):
            return self.leaf(*near)
        x, y = self.value(*near, depth=depth - 1), self.leaf(*near)
        if self.floats:
            return self.pick(
                f"{x} + {y}",
                f"{x} - {y}",
                f"{x} * {self.constant()}",
                f"0.5 * ({x} + {y})",
                f"({x} if {y} > {self.constant()} else {y})",
                f"min({x}, {y})",
                f"max({x}, {self.constant()})",
                f"abs({x})",
                f"math.sin({x})" if self.chance(0.3) else f"0.25 * {x}",
                f"np.sqrt(abs({x}))",
                f"{x} / ({y} + 100.0)" if self.chance(0.5) else f"{x} - 0.125 * {y}",
            )
        return self.pick(
            f"{x} + {y}",
            f"{x} - {y}",
            f"({x} + {y}) % 17",
            f"({x}) // 3",
            f"({x} if {y} > {self.constant()} else {y})",
            f"min({x}, {y})",
            f"max({x}, {self.constant()})",
            f"abs({x})",
            f"({x} & 15)",
            f"({x} ^ {y})",
        )

    def condition(self, *near: Counter) -> str:
        c = self.rng.choice(self.counters)
        return self.pick(
            f"{self.leaf(*near)} > {self.constant()}",
            f"{self.leaf(*near)} < {self.leaf(*near)}",
            f"{c.name} % {self.pick(2, 3)} == {self.pick(0, 1)}",
            f"{c.name} < {c.size} // 2",
            f"{c.name} != {self.rng.choice(self.counters).name}",
        )

    def guarded(self, depth: int, p: float, *near: Counter) -> int:
        """Sometimes writes a condition; the depth of what comes under it."""
        if not self.chance(p):
            return depth
        self.emit(depth, f"if {self.condition(*near)}:")
        return depth + 1

    def shift(self, array: Array, near: list[Counter]) -> str:
        """An element near the one at the counters."""
        offsets = [self.rng.randint(-c.lo, c.hi) for c in near]
        parts = [c.name if not k else f"{c.name} + {k}" for c, k in zip(near, offsets, strict=True)]
        return f"{array.name}[{', '.join(parts).replace('+ -', '- ')}]"

    def mixed(self, terms: list[str]) -> str:
        if not self.floats:
            return self.pick(f"({' + '.join(terms)}) % 101", f"min({', '.join([*terms, '9'])})")
        return self.pick(f"0.25 * ({' + '.join(terms)})", f"max({', '.join([*terms, '0.5'])})")

    # -- the whole -------------------------------------------------------------------------

    def nest(self) -> None:
        """Writes the function's statements."""
        raise NotImplementedError

    def build(self) -> list[str]:
        self.nest()
        if self.chance(0.5):
            # What loops leave in their variables.
            self.lines.insert(0, f"    {' = '.join(self.named)} = -1")
            self.results += self.named
        self.emit(0, f"return {', '.join(self.results)}" if self.results else "return None")
        start = [f"def {self.name}({', '.join(self.parameters())}):"]
        calls = [line for _ in range(self.pick(3, 4, 5)) for line in self.call()]
        return [*start, *self.lines, "", "", *calls, ""]

    def parameters(self) -> list[str]:
        return [*self.arrays, "n", "m", *self.scalars]

    def call(self) -> list[str]:
        small, large = ([1, 2, 4, 5, 6], [9, 11]) if self.deep else ([1, 2, 5, 6, 8], [13, 21, 34])
        sizes = [0, *small, *small, *large, *large]
        n, m = self.rng.choice(sizes), self.rng.choice(sizes)
        if self.chance(0.5):
            n, m = self.rng.choice(large), self.rng.choice(large)
        lines = [f"n, m = {n}, {m}"]
        lines += [f"{a.name} = {self.argument(a)}" for a in self.arrays.values()]
        if self.aliased and self.chance(0.7):
            lines.append(self.rng.choice(self.aliased))
            lines.append("n = min(len(a), len(b))")
            if len(self.arrays["a"].sizes) > 1:
                lines[-1] = "n = min(a.shape + b.shape)"
        for name, (lo, hi) in self.scalars.items():
            lines.append(f"{name} = {self.rng.randint(lo, hi)}")
        lines.append(f"attempt({self.name}, {', '.join(self.parameters())})")
        lines.append(f"show({self.name!r}, {', '.join(self.arrays)})")
        return lines

    def argument(self, array: Array) -> str:
        """An expression that makes an array for a call."""
        seed = self.rng.randrange(10_000)
        if array.kind == "x":
            how = self.pick("any", "distinct", "distinct", "sorted")
            how = "sorted" if array.name == "p" and self.chance(0.8) else how
            dtype = self.pick("int64", "int64", "int32")
            return f"places({array.sizes[0]}, {array.below}, {seed}, {how!r}, {dtype!r})"
        kind = array.kind if self.chance(0.95) else self.pick("i", "f")
        dtype = self.rng.choice(FLOATS if kind == "f" else INTS)
        odd = ", odd=True" if self.chance(0.12) else ""
        text = f"data(({', '.join(array.sizes)},), {dtype!r}, {seed}{odd})"
        layout = self.rng.random()
        if layout < 0.12:
            return f"strided({text})"
        if layout < 0.2 and len(array.sizes) > 1:
            return f"np.asfortranarray({text})"
        if layout < 0.28 and not self.aliased and len(array.sizes) == 1:
            return f"{text}.tolist()"
        return text
