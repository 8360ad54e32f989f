"""Random programs for the oracle: loop nests that nobody tuned anything to.

Each is a script like those of a folder of kernels: a function of one to three loops, and a main()
that takes `--size N`, runs it once and prints `kernel_seconds` and a checksum. What a nest does is
drawn from what scientific loops do: expressions of neighbours and other arrays, sums, recurrences,
conditions, gathers, histograms, inner loops of fixed length, calls of math. A seed gives the same
programs everywhere.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from nestwise.oracle.programs import GENERATED, Program

PREFIX = "generated_"

SCRIPT = """\
import argparse
import math
import time

import numpy as np


def nest({parameters}):
{body}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int)
    n = parser.parse_args().size
    if n < 4:
        raise SystemExit("too small")
    random = np.random.default_rng({seed})
{setup}
    start = time.perf_counter()
    total = nest({parameters})
    seconds = time.perf_counter() - start
    print("checksum", repr(total), repr(float(np.sum({result}))))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
"""

# Extents of arrays, by the number of loops over them: the last axis of some is short.
SHAPES = {1: ["(n,)"], 2: ["(n, n)", "(n, 16)", "(n, 61)"], 3: ["(n, n, 8)", "(n, 12, 12)"]}
COUNTERS = "ijk"


def programs(count: int, seed: int, folder: Path) -> Iterator[Program]:
    """Writes `count` scripts into the folder."""
    for k in range(count):
        path = folder / f"{PREFIX}{seed}_{k}.py"
        path.write_text(script(seed * 100_003 + k), encoding="utf-8")
        yield Program(path.stem, path, None, GENERATED)


def script(seed: int) -> str:
    """The text of a random program."""
    return _Nest(random.Random(seed)).script(seed)


class _Nest:
    """A random program while it is written."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.rank = draw.choice([1, 1, 2, 2, 2, 3])
        self.lists = self.rank == 1 and draw.random() < 0.25
        self.counters = COUNTERS[: self.rank]
        # How far neighbours are away, at most: loops keep such a distance from the ends.
        self.halo = draw.choice([0, 0, 1, 1, 2]) if self.rank < 3 else draw.choice([0, 1])
        self.arrays = ["a", "b", "c"][: draw.randint(1, 3)]
        self.gathers = self.rank == 1 and draw.random() < 0.25

    def script(self, seed: int) -> str:
        body = self._body()
        shape = self.draw.choice(SHAPES[self.rank])
        setup = [f"{name} = random.random({shape}) + 0.5" for name in self.arrays]
        setup += [f"o = np.zeros({shape})", "h = np.zeros(32, np.int64)"]
        setup += ["p = random.integers(0, n, n)"]
        if self.lists:
            setup += [f"{name} = {name}.tolist()" for name in (*self.arrays, "o")]
        return SCRIPT.format(
            parameters=", ".join([*self.arrays, "o", "h", "p"]),
            body="\n".join("    " + line for line in body),
            setup="\n".join("    " + line for line in setup),
            result="o" if "o[" in "\n".join(body) else "h",
            seed=seed,
        )

    def _body(self) -> list[str]:
        lines = ["s = 0.0"]
        indent = ""
        for axis, counter in enumerate(self.counters):
            extent = "len(o)" if self.lists or self.rank == 1 else f"o.shape[{axis}]"
            bounds = f"{self.halo}, {extent} - {self.halo}" if self.halo else extent
            lines.append(f"{indent}for {counter} in range({bounds}):")
            indent += "    "
        kinds = [self._store, self._store, self._sum, self._condition, self._recurrence]
        kinds += [self._inner, self._inner, self._histogram]
        for _ in range(self.draw.randint(1, 2)):
            lines += [indent + line for line in self.draw.choice(kinds)()]
        return [*lines, "return s"]

    # -- statements ------------------------------------------------------------------------------

    def _store(self) -> list[str]:
        return [f"o[{self._here()}] = {self._expression(3)}"]

    def _sum(self) -> list[str]:
        return [f"s += {self._expression(2)}"]

    def _condition(self) -> list[str]:
        test = f"{self._load()} > {self.draw.choice(['0.6', '0.9', '1.0', self._load()])}"
        other = ["else:", f"    s += {self._load()}"] if self.draw.random() < 0.5 else []
        return [f"if {test}:", f"    o[{self._here()}] = {self._expression(2)}", *other]

    def _recurrence(self) -> list[str]:
        return [f"s = s * 0.5 + {self._expression(2)}", f"o[{self._here()}] = s"]

    def _inner(self) -> list[str]:
        trips = self.draw.choice([3, 10, 25])
        step = self.draw.choice(
            ["t = t * x + 0.25", "t = t / (x + 1.0) + 0.5", "t += math.sqrt(x + t)"]
        )
        head = ["t = 0.0", f"x = {self._load()} * 0.5", f"for _ in range({trips}):", f"    {step}"]
        return [*head, f"o[{self._here()}] = t"]

    def _histogram(self) -> list[str]:
        return [f"h[int({self._load()} * 20.0)] += 1", f"s += {self._load()}"]

    # -- expressions -----------------------------------------------------------------------------

    def _expression(self, depth: int) -> str:
        if depth == 0 or self.draw.random() < 0.15:
            return self._load() if self.draw.random() < 0.75 else self._constant()
        kind = self.draw.random()
        a, b = self._expression(depth - 1), self._expression(depth - 1)
        if kind < 0.75:
            return f"({a} {self.draw.choice('++-**')} {b})"
        if kind < 0.83:
            return f"{a} / ({b} * {b} + 1.0)"
        if kind < 0.92:
            call = self.draw.choice(["sqrt(abs(X) + 1.0)", "exp(-X * X)", "sin(X)", "floor(X)"])
            return "math." + call.replace("X", f"({a})")
        return f"{self.draw.choice(['min', 'max'])}({a}, {b})"

    def _constant(self) -> str:
        return repr(round(self.draw.uniform(0.1, 2.0), 2))

    def _here(self) -> str:
        return ", ".join(self.counters)

    def _load(self) -> str:
        name = self.draw.choice(self.arrays)
        if self.gathers and self.draw.random() < 0.3:
            return f"{name}[p[i]]"
        at = [self._near(counter) for counter in self.counters]
        return f"{name}[{', '.join(at)}]"

    def _near(self, counter: str) -> str:
        by = self.draw.randint(-self.halo, self.halo)
        return f"{counter} {'+' if by > 0 else '-'} {abs(by)}" if by else counter
