"""Scripts run once: nestwise, with nothing kept and with kernels kept, against python.

    python bench/once.py [--rounds 3] [--sizes 5] [--json F] [NAME ...]

Every program of kernels/ as a process of its own, at sizes at which CPython's loops take from some
microseconds to a second, the three in turn; the least times count. A row for each size at which the
loops take more than 5 % and 100 us longer than under python, compiling included; and what is
outside the loops: starting, reading and rewriting the script.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PYTHON, COLD, KEPT = "python", "cold", "kept"
# CPython's seconds at the smallest and the largest size.
LEAST_S, MOST_S = 2e-5, 1.0
# Slower than this is told.
SHARE, SECONDS = 1.05, 1e-4


class Ran(NamedTuple):
    """One process."""

    loops_s: float
    other_s: float


def run(program: Path, size: int, way: str, kept: str) -> Ran | None:
    """None: it is too small for the program."""
    words = [sys.executable, str(program), "--size", str(size)]
    if way != PYTHON:
        words[1:1] = ["-m", "nestwise", "run"]
    with tempfile.TemporaryDirectory() as empty:
        folder = empty if way == COLD else kept
        env = os.environ | {"NESTWISE_CACHE_DIR": folder, "NESTWISE_PROFILE": profile()}
        begun = time.perf_counter()
        done = subprocess.run(words, env=env, capture_output=True, text=True)
        whole = time.perf_counter() - begun
    told = [line.split() for line in done.stdout.splitlines()]
    loops = [float(words[1]) for words in told if words and words[0] == "kernel_seconds"]
    return Ran(loops[0], whole - loops[0]) if done.returncode == 0 and loops else None


def profile() -> str:
    """The one that runs find: with a cache of its own a process would look there."""
    from nestwise import config

    found = config.profile_path()
    return found if found and os.path.exists(found) else config.DEFAULT


def sizes_of(program: Path, count: int, kept: str) -> list[int]:
    """So many, their times under CPython evenly spread on a logarithmic scale."""
    taken: dict[int, float] = {}
    a, b = 1, 2
    while True:
        ran = run(program, a, PYTHON, kept)
        if ran is not None and ran.loops_s >= LEAST_S:
            taken[a] = ran.loops_s
        if ran is not None and ran.loops_s >= MOST_S or a > 10**8:
            break
        a, b = b, a + b
    all_ = sorted(taken)
    if len(all_) <= count:
        return all_
    return sorted({all_[round(k * (len(all_) - 1) / (count - 1))] for k in range(count)})


def measured(program: Path, size: int, rounds: int, kept: str) -> dict[str, Ran]:
    ways = (PYTHON, COLD, KEPT)
    runs: dict[str, list[Ran]] = {way: [] for way in ways}
    for turn in range(rounds):
        for k in range(len(ways)):
            way = ways[(k + turn) % len(ways)]
            ran = run(program, size, way, kept)
            if ran is not None:
                runs[way].append(ran)
    least = lambda all_, part: min(getattr(one, part) for one in all_)  # noqa: E731
    return {way: Ran(least(all_, "loops_s"), least(all_, "other_s")) for way, all_ in runs.items()}


def text(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def tell(rows: list[dict]) -> None:
    slow = []
    for row in rows:
        for way in (COLD, KEPT):
            more = row[way][0] - row[PYTHON][0]
            if more > max(SECONDS, (SHARE - 1) * row[PYTHON][0]):
                slow.append((more / row[PYTHON][0], way, row))
    print(f"{len(rows)} sizes; more than 5 % and 100 us slower than python:")
    for share, way, row in sorted(slow, key=lambda s: -s[0]):
        times = f"{text(row[PYTHON][0]):>9} {text(row[way][0]):>9}"
        print(f"  {row['program']:<20}{row['size']:>9} {way:<5}{times} {share:+8.0%}")
    if not slow:
        print("  none")
    for way in (COLD, KEPT):
        more = [row[way][1] - row[PYTHON][1] for row in rows]
        print(
            f"outside the loops, {way}: {text(statistics.median(more))} more in the median, "
            f"{text(max(more))} at most"
        )
        ratios = [row[way][0] / row[PYTHON][0] for row in rows]
        print(f"the loops, {way}: {statistics.geometric_mean(ratios):.3f} of python's time")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    index = json.loads((ROOT / "kernels" / "index.json").read_text())
    names = options.names or [one["name"] for one in index]
    rows: list[dict] = []
    for name in names:
        program = ROOT / "kernels" / f"{name}.py"
        with tempfile.TemporaryDirectory() as kept:
            for size in sizes_of(program, options.sizes, kept):
                run(program, size, KEPT, kept)
                found = measured(program, size, options.rounds, kept)
                rows.append({"program": name, "size": size, **found})
        if options.json:
            options.json.write_text(json.dumps(rows))
        print(f"{name}: {len(rows)}", file=sys.stderr)
    tell(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
