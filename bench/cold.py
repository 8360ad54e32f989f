"""The first second: scripts run once, with nothing kept and with kernels kept, against python.

    python bench/cold.py [--rounds 5] [--columns 1,3,10,30,100,300,1000] [--kinds] [--cores N]
                         [--no-profile] [--regret] [--json F] [NAME ...]

Every program of kernels/ and of bench/kinds/ as a process of its own, at sizes at which CPython's
loop takes so many milliseconds (a column each): python, nestwise with an empty cache and nestwise
with the kernels of an earlier run, in turn. The ratio of a cell is the median of python's time over
the median of nestwise's. --kinds: only those of bench/kinds/. --no-profile: prices of a machine
nobody calibrated. --cores 1: one core, as `taskset` gives it. --regret: an empty cache with quick
code, optimised code and threads forced from the first iteration on, too, and how much longer the
free choice takes than the best of all, python included (an oracle of first calls).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
KINDS = ROOT / "bench" / "kinds"
PYTHON, COLD, KEPT = "python", "cold", "kept"
# What the free choice could have been, from the first iteration on.
FORCED = {
    "quick": ("serial", {"NESTWISE_TIER": "quick"}),
    "optimised": ("serial", {"NESTWISE_TIER": "optimised"}),
    "threads": ("threads", {}),
}
COLUMNS_MS = [1, 3, 10, 30, 100, 300, 1000]
# What each column is to reach: the geometric mean of the speed-ups, and the least of any.
GOALS = {
    COLD: {3: 1.0, 10: 1.3, 30: 3, 100: 7, 300: 15, 1000: 35},
    KEPT: {3: 2, 10: 5, 30: 12, 100: 30, 300: 60, 1000: 100},
}
WORST, WORST_AT_1_MS = 1 / 1.05, 1 / 1.5
# A size is good if CPython's loop takes its column's time up to this factor.
CLOSE = 1.12
TRIALS = 12
# Runs before those that are timed with what is kept: two, and at most so many until there is a
# kernel.
BEFORE, KERNELS = 6, ("kernels/*/*", "quick/*/*")


class Ran(NamedTuple):
    """One process: seconds of the loop, and of all else."""

    loop_s: float
    other_s: float


class Machine(NamedTuple):
    """What nestwise may use."""

    profile: str | None
    cores: int | None


def run(
    program: Path, size: int, way: str, kept: str, machine: Machine, form: tuple[str, ...] = ()
) -> Ran | None:
    """None: the size is not one for the program. `form`: further words of the command line."""
    words = [sys.executable, str(program), "--size", str(size), *form]
    if way != PYTHON:
        words[1:1] = ["-m", "nestwise", "run"]
    if machine.cores:
        words[:0] = ["taskset", "-c", ",".join(map(str, range(machine.cores)))]
    with tempfile.TemporaryDirectory() as empty:
        folder = kept if way == KEPT else empty
        env = os.environ | {"NESTWISE_CACHE_DIR": folder}
        if way in FORCED:
            device, more = FORCED[way]
            env |= more | {"NESTWISE_DEVICE": device}
        if machine.profile:
            env["NESTWISE_PROFILE"] = machine.profile
        begun = time.perf_counter()
        done = subprocess.run(words, env=env, capture_output=True, text=True)
        whole = time.perf_counter() - begun
    told = [line.split() for line in done.stdout.splitlines()]
    loop = [float(words[1]) for words in told if words and words[0] == "kernel_seconds"]
    return Ran(loop[0], whole - loop[0]) if done.returncode == 0 and loop else None


def size_for(
    program: Path,
    seconds: float,
    known: dict[int, float],
    machine: Machine,
    form: tuple[str, ...] = (),
) -> int:
    """The size at which CPython's loop takes so long, found by interpolation; `known` grows."""

    def time_of(size: int) -> float:
        if size not in known:
            ran = [run(program, size, PYTHON, "", machine, form) for _ in range(2)]
            known[size] = min((r.loop_s for r in ran if r), default=0.0)
        return known[size]

    for _ in range(TRIALS):
        below = max((s for s in known if known[s] <= seconds), default=4)
        above = min((s for s in known if known[s] > seconds and s > below), default=None)
        best = min(known, key=lambda s: abs(math.log(max(known[s], 1e-9) / seconds)), default=0)
        if best and 1 / CLOSE <= known[best] / seconds <= CLOSE:
            return best
        low = max(time_of(below), 1e-9)
        if above is None:
            # At least cubic programs are not overshot by much.
            guess = max(below + 1, int(below * min(4.0, (seconds / low) ** 0.4)))
        elif above - below <= 1:
            return best
        else:
            power = math.log(known[above] / low) / math.log(above / below)
            guess = round(below * (seconds / low) ** (1 / max(power, 0.3)))
            guess = min(max(guess, below + 1), above - 1)
        time_of(guess)
    return min(known, key=lambda s: abs(math.log(max(known[s], 1e-9) / seconds)))


def measured(
    program: Path, size: int, rounds: int, machine: Machine, ways: tuple[str, ...]
) -> dict[str, Ran]:
    runs: dict[str, list[Ran]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as kept:
        for before in range(BEFORE):
            run(program, size, KEPT, kept, machine)
            if before and any(file for kind in KERNELS for file in Path(kept).glob(kind)):
                break
        for turn in range(rounds):
            for k in range(len(ways)):
                way = ways[(k + turn) % len(ways)]
                ran = run(program, size, way, kept, machine)
                if ran is not None:
                    runs[way].append(ran)
    middle = lambda way, part: statistics.median(getattr(one, part) for one in runs[way])  # noqa: E731
    return {way: Ran(middle(way, "loop_s"), middle(way, "other_s")) for way in ways if runs[way]}


def ratio(row: dict, way: str) -> float:
    return row[PYTHON][0] / row[way][0]


def regret(row: dict, ways: tuple[str, ...]) -> float:
    """How much longer a first call takes than the best of what could have been chosen."""
    best = min(row[way][0] for way in ways if way != KEPT and way in row)
    return row[COLD][0] / best - 1


def tell_regrets(rows: list[dict], columns: list[int], ways: tuple[str, ...]) -> None:
    print("first calls, beyond the best choice: mean, 95th percentile")
    for column in [*columns, None]:
        found = sorted(regret(r, ways) for r in rows if column in (None, r["column_ms"]))
        high = found[min(len(found) - 1, math.ceil(0.95 * len(found)) - 1)]
        name = "all" if column is None else f"{column} ms"
        print(f"  {name:<10}{statistics.mean(found):>8.1%}{high:>8.1%}")


def tell(rows: list[dict], columns: list[int]) -> None:
    head = "".join(f"{c:>16} ms" for c in columns)
    print(f"{'speed-up, mean (worst)':<26}{head}")
    groups = {
        "bench/kinds": [r for r in rows if r["kind"]],
        "kernels": [r for r in rows if not r["kind"]],
        "all": rows,
    }
    for group, of in groups.items():
        for way in (COLD, KEPT):
            cells = []
            for column in columns:
                found = [ratio(r, way) for r in of if r["column_ms"] == column]
                mean = statistics.geometric_mean(found) if found else math.nan
                cells.append(f"{mean:>10.2f} ({min(found, default=math.nan):.2f})")
            print(f"{group + ', ' + way:<26}" + "".join(f"{c:>19}" for c in cells))
    for way, goals in GOALS.items():
        print(f"{'goal, ' + way:<26}" + "".join(f"{goals.get(c, '-'):>19}" for c in columns))
    print("cells below the least that is asked:")
    for row in sorted(rows, key=lambda r: min(ratio(r, COLD), ratio(r, KEPT))):
        least = WORST_AT_1_MS if row["column_ms"] == 1 else WORST
        low = [f"{way} {ratio(row, way):.2f}" for way in (COLD, KEPT) if ratio(row, way) < least]
        if low:
            print(f"  {row['program']:<20}{row['column_ms']:>6} ms  {', '.join(low)}")
    for way in (COLD, KEPT):
        more = [(row[way][1] - row[PYTHON][1]) * 1e3 for row in rows]
        print(f"outside the loop, {way}: {statistics.median(more):.1f} ms more in the median")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--columns", default=",".join(map(str, COLUMNS_MS)))
    parser.add_argument("--kinds", action="store_true")
    parser.add_argument("--cores", type=int)
    parser.add_argument("--no-profile", action="store_true")
    parser.add_argument("--regret", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    columns = [int(c) for c in options.columns.split(",")]
    programs = sorted(KINDS.glob("*.py"))
    if not options.kinds:
        index = json.loads((ROOT / "kernels" / "index.json").read_text())
        programs += [ROOT / "kernels" / f"{one['name']}.py" for one in index]
    if options.names:
        programs = [p for p in programs if p.stem in options.names]
    profile = None
    if not options.no_profile:
        from nestwise.options import profile_path

        found = profile_path()
        profile = str(found) if found and os.path.exists(found) else None
    machine = Machine(profile, options.cores)
    ways = (PYTHON, COLD, KEPT, *(FORCED if options.regret else ()))
    rows: list[dict] = []
    for program in programs:
        known: dict[int, float] = {}
        for column in columns:
            size = size_for(program, column * 1e-3, known, machine)
            found = measured(program, size, options.rounds, machine, ways)
            kind = program.parent == KINDS
            rows.append({"program": program.stem, "kind": kind, "column_ms": column, "size": size})
            rows[-1] |= found
        cells = [f"{ratio(r, COLD):.2f}/{ratio(r, KEPT):.2f}" for r in rows[-len(columns) :]]
        print(f"{program.stem}: {' '.join(cells)}", file=sys.stderr)
        if options.json:
            options.json.write_text(json.dumps(rows))
    tell(rows, columns)
    if options.regret:
        tell_regrets(rows, columns, ways)
    return 0


if __name__ == "__main__":
    sys.exit(main())
