"""Quick and optimised code of every nest of kernels/ and bench/kinds/: how fast, and how long made.

    python bench/tiers.py [--ms 300] [--rounds 3] [--json F] [NAME ...]

Speed: each program, in each of its forms, at a size at which CPython's loop takes so many
milliseconds; python, and nestwise with either tier forced and its code on disk, in turn. Geometric
means of python's time over nestwise's, by what the programs work on. Making: each program at its
smallest size with an empty cache, in a process of its own without background threads; the times
from a hook's entry to the kernel, planning included, and of that the making of code alone. The
first nest of a process has the compiler to set up.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from cold import KINDS, ROOT, Machine, size_for

TIERS = ("quick", "optimised")
LISTS = {"paths", "edits", "comprehensions", "bodies"}


class Program(NamedTuple):
    name: str
    path: Path
    form: tuple[str, ...]  # words of the command line
    small: int
    works_on: str


def programs(names: list[str]) -> list[Program]:
    found = []
    for one in json.loads((ROOT / "kernels" / "index.json").read_text()):
        path, small = ROOT / "kernels" / one["file"], one["sizes"]["small"]
        for form in () if one["refused"] else one["forms"]:
            works_on = "lists" if form == "list" else "arrays"
            found.append(Program(one["name"], path, ("--form", form), small, works_on))
    for path in sorted(KINDS.glob("*.py")):
        on = "lists" if path.stem in LISTS else "arrays" if path.stem != "darts" else "numbers"
        found.append(Program(path.stem, path, (), 60, on))
    return [p for p in found if not names or p.name in names]


def run(program: Program, size: int, tier: str | None, folder: str) -> tuple[float, list[dict]]:
    """Seconds of the loop, and the report's nests; `tier` None: by python."""
    words = [str(program.path), "--size", str(size), *program.form]
    told = Path(folder) / "told.json"
    if tier:
        options = ["--device", "serial", "--report=json", f"--report-file={told}"]
        words = ["-m", "nestwise", "run", *options, *words]
    forced = {"NESTWISE_TIER": tier, "NESTWISE_BACKGROUND": "0"} if tier else {}
    env = os.environ | forced | {"NESTWISE_CACHE_DIR": folder}
    done = subprocess.run([sys.executable, *words], env=env, capture_output=True, text=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    loop = [float(words[1]) for words in lines if words and words[0] == "kernel_seconds"]
    if done.returncode or not loop:
        raise SystemExit(f"{program.name}: {done.stderr.strip().splitlines()[-1:]}")
    return loop[0], json.loads(told.read_text())["nests"] if tier else []


def speeds(program: Program, size: int, rounds: int) -> tuple[dict[str, float], list[float]]:
    """Python's time over each tier's; milliseconds until kernels from disk were there."""
    entries: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for tier in TIERS:
            run(program, size, tier, folder)
        times: dict[str | None, list[float]] = {way: [] for way in (None, *TIERS)}
        for _ in range(rounds):
            for way, seconds in times.items():
                loop, nests = run(program, size, way, folder)
                seconds.append(loop)
                entries += [n["compile_s"] * 1e3 for n in nests if n["kernels_from_cache"] == 1]
    plain = statistics.median(times[None])
    return {tier: plain / statistics.median(times[tier]) for tier in TIERS}, entries


def making(program: Program, tier: str) -> list[dict]:
    """The nests of which one kernel was made: milliseconds from entry, of making code alone."""
    with tempfile.TemporaryDirectory() as folder:
        _, nests = run(program, program.small, tier, folder)
    made = [nest for nest in nests if len(nest["made"]) == 1]
    return [
        {
            "nest": f"{program.name}:{nest['line']}",
            "entry_ms": nest["compile_s"] * 1e3,
            "code_ms": nest["made"][0]["took_s"] * 1e3,
        }
        for nest in made
    ]


def tell(name: str, values: list[float]) -> None:
    values = sorted(values)
    high = values[min(len(values) - 1, int(0.95 * len(values)))]
    print(f"  {name:24} {statistics.median(values):6.2f} {high:6.2f}   of {len(values)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--ms", type=float, default=300.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    of: dict[str, dict[str, list[float]]] = {}
    times: dict[str, list[dict]] = {tier: [] for tier in TIERS}
    kept: list[float] = []
    for program in programs(given.names):
        for tier in TIERS:
            times[tier] += making(program, tier)
        size = size_for(program.path, given.ms * 1e-3, {}, Machine(None, None), program.form)
        found, entries = speeds(program, size, given.rounds)
        kept += entries
        for tier, ratio in found.items():
            of.setdefault(program.works_on, {}).setdefault(tier, []).append(ratio)
        text = ", ".join(f"{tier} {ratio:.1f}" for tier, ratio in found.items())
        print(f"{program.name} {' '.join(program.form)}: {text}", file=sys.stderr)
    print("times as fast as CPython, geometric means")
    for works_on, tiers in of.items():
        mean = [f"{tier} {statistics.geometric_mean(all_):.1f}" for tier, all_ in tiers.items()]
        print(f"  {works_on:10} {', '.join(mean)}   of {len(tiers['quick'])}")
    print("ms, median and 95th percentile")
    for tier, nests in times.items():
        tell(f"{tier}, from entry", [nest["entry_ms"] for nest in nests])
        tell(f"{tier}, code alone", [nest["code_ms"] for nest in nests])
    tell("on disk, from entry", kept)
    if given.json:
        given.json.write_text(json.dumps({"speeds": of, "making": times}) + "\n")


if __name__ == "__main__":
    main()
