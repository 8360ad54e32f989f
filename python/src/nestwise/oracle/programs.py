"""The scripts that are measured, and the sizes at which.

A script has a `main()` that takes `--size N`, and `--form F` where its folder's index.json says so.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

# Kinds of programs that nothing was tuned to, listed separately in reports: programs that an
# index holds back, and random ones.
HELD_BACK, GENERATED = "held back", "generated"


class Program(NamedTuple):
    """A script that is measured."""

    name: str
    script: Path
    form: str | None
    group: str = ""

    def arguments(self, size: int) -> list[str]:
        """Gives the program's arguments for a size."""
        form = ["--form", self.form] if self.form else []
        return ["--size", str(size), *form]


class NoProgram(ValueError):
    """A path that leads to nothing that could be measured."""


def find(paths: Sequence[str], forms: bool = False) -> list[Program]:
    """Finds the programs of folders and scripts; with `forms` in each of their forms."""
    found: list[Program] = []
    for path in map(Path, paths):
        if path.is_dir():
            found += _of_folder(path, forms)
        elif path.suffix == ".py" and path.exists():
            found += [p for p in _beside(path, forms)]
        else:
            raise NoProgram(f"{path}: neither a script nor a folder")
    return found


def _of_folder(folder: Path, forms: bool) -> list[Program]:
    index = folder / "index.json"
    if not index.exists():
        scripts = sorted(folder.glob("*.py"))
        if not scripts:
            raise NoProgram(f"{folder}: no index.json and no scripts")
        return [Program(script.stem, script, None) for script in scripts]
    return [
        Program(
            entry["name"] if form == entry["forms"][0] else f"{entry['name']}-{form}",
            folder / entry["file"],
            form,
            HELD_BACK if entry.get("held_back") else "",
        )
        for entry in json.loads(index.read_text())
        if not entry["refused"]
        for form in (entry["forms"] if forms else entry["forms"][:1])
    ]


def _beside(script: Path, forms: bool) -> Iterator[Program]:
    """Gives the programs of a script, as the index of its folder describes it if there is one."""
    if (script.parent / "index.json").exists():
        known = [p for p in _of_folder(script.parent, forms) if p.script == script]
        if known:
            yield from known
            return
    yield Program(script.stem, script, None)


def ladder(most: int) -> Iterator[int]:
    """Yields sizes from 1 on, each about 1.6 times the one before."""
    a, b = 1, 2
    while a <= most:
        yield a
        a, b = b, a + b


# The most sizes of a program: where two candidates take about as long, each of many sizes may look
# like a crossover.
MOST_SIZES = 16
# Around a crossover, how much longer or shorter the runs are than those at it.
AROUND = (0.3, 0.55, 0.8, 1.25, 1.8, 3.3)


def chosen_sizes(
    quick: dict[int, dict[str, float]], spread: int, around: Sequence[float] = AROUND
) -> tuple[list[int], list[float]]:
    """Gives sizes and crossovers from quick times by size and candidate: `spread` sizes over the
    whole range, and those `around` every size where another candidate becomes the best.
    """
    known = sorted(quick)
    sizes = set(evenly(known, spread))
    crossovers: list[float] = []
    for low, high in itertools.pairwise(known):
        before, after = _best(quick[low]), _best(quick[high])
        if before == after or before not in quick[high] or after not in quick[low]:
            continue
        ratios = [quick[n][before] / quick[n][after] for n in (low, high)]
        at = low * (high / low) ** _part(ratios[0], 1.0, ratios[1])
        crossovers.append(at)
        growth = _exponent(low, quick[low][after], high, quick[high][after])
        sizes |= {max(known[0], round(at * factor ** (1 / growth))) for factor in around}
    found = sorted(n for n in sizes if known[0] <= n <= known[-1])
    return evenly(found, MOST_SIZES), crossovers


def evenly(of: Sequence[int], count: int) -> list[int]:
    """Gives at most `count` of the sizes, evenly spread, the first and the last among them."""
    if len(of) <= count:
        return list(of)
    return [of[round(k * (len(of) - 1) / max(count - 1, 1))] for k in range(count)]


def _best(times: dict[str, float]) -> str:
    return min(times, key=times.__getitem__)


def _part(low: float, at: float, high: float) -> float:
    """Gives where `at` lies between `low` and `high` on a logarithmic scale, from 0 to 1."""
    if low <= 0 or high <= 0 or low == high:
        return 0.5
    return min(max(math.log(at / low) / math.log(high / low), 0.0), 1.0)


def _exponent(n: int, t: float, m: int, u: float) -> float:
    """Gives how time grows with size, as a power of it; 1 where that is hidden by a fixed cost."""
    return min(max(math.log(max(u, 1e-9) / max(t, 1e-9)) / math.log(m / n), 1.0), 4.0)
