"""Two builds of nestwise over the programs of kernels/, interleaved: what a change cost or gained.

    python bench/against.py OTHER [--size medium] [--rounds 5] [--json FILE] [NAME ...]

OTHER is another checkout, built there (`make build`); this checkout's interpreter runs both. In
each round every program runs in both builds, one after the other, each time as whole processes:
with an empty compile cache (`cold`), with a filled one (`warm`), and several times in one process
(`steady`), as bench/run.py does it. Printed are medians of this checkout in milliseconds, and the
median over the rounds of this checkout's time divided by the other's: below 1 this one is faster.
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

sys.path.insert(0, str(Path(__file__).resolve().parent))

from run import KERNELS, ROOT, geomean, script_seconds

FIGURES = ("cold", "warm", "steady")
# Programs whose loops take less vary by more than what is looked for.
SHORT_S = 1e-3


def times(build: Path, arguments: list[str]) -> dict[str, float]:
    """Seconds of the loops of one program under one build."""
    python = [sys.executable, "-m", "nestwise", "run"]
    again = [str(ROOT / "bench" / "again.py"), arguments[0], "4", *arguments[1:]]
    with tempfile.TemporaryDirectory() as scratch:
        package = str(build / "python" / "src")
        env = dict(os.environ, NESTWISE_CACHE_DIR=scratch, PYTHONPATH=package)
        found = {"cold": script_seconds([*python, *arguments], env)[1]}
        found["warm"] = script_seconds([*python, *arguments], env)[1]
        done = subprocess.run(
            [*python, *again], capture_output=True, text=True, env=env, cwd=ROOT, check=False
        )
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    later = [float(value) for key, value in lines if key == "kernel_seconds"][1:]
    return found | {"steady": statistics.median(later) if later else found["warm"]}


def measure(other: Path, arguments: list[str], rounds: int) -> dict[str, list[list[float]]]:
    """For each figure the rounds' pairs of seconds: this checkout, the other."""
    pairs: dict[str, list[list[float]]] = {figure: [] for figure in FIGURES}
    for turn in range(rounds):
        order = [ROOT, other] if turn % 2 else [other, ROOT]
        found = {build: times(build, arguments) for build in order}
        for figure in FIGURES:
            pairs[figure].append([found[ROOT][figure], found[other][figure]])
    return pairs


def ratio(pairs: list[list[float]]) -> float:
    """The median of this checkout's seconds over the other's."""
    return statistics.median(mine / theirs for mine, theirs in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path)
    parser.add_argument("--size", default="medium", choices=["small", "medium", "large"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    print(f"{'program':24} {'form':8}" + "".join(f" {f + ' ms':>10} {'ratio':>6}" for f in FIGURES))
    rows = []
    for entry in json.loads((KERNELS / "index.json").read_text()):
        if entry.get("refused") or (args.names and entry["name"] not in args.names):
            continue
        for form in entry["forms"]:
            arguments = [str(KERNELS / entry["file"]), "--size", args.size]
            arguments += ["--form", form] if form != "ndarray" else []
            row = {"name": entry["name"], "form": form}
            row |= measure(args.other.resolve(), arguments, args.rounds)
            rows.append(row)
            cells = [
                f" {statistics.median(mine for mine, _ in row[f]) * 1e3:10.2f} {ratio(row[f]):6.2f}"
                for f in FIGURES
            ]
            print(f"{row['name']:24} {form:8}" + "".join(cells), flush=True)
            if args.json:
                args.json.write_text(json.dumps(rows, indent=1))
    for figure in FIGURES:
        every = [ratio(row[figure]) for row in rows]
        long = [
            ratio(row[figure])
            for row in rows
            if statistics.median(theirs for _, theirs in row[figure]) >= SHORT_S
        ]
        print(
            f"{figure}: geometric mean {geomean(every):.3f} of {len(every)}, "
            f"{geomean(long):.3f} of the {len(long)} that take {SHORT_S * 1e3:.0f} ms or more, "
            f"{sum(value > 1.03 for value in long)} of these slower by over 3 %, "
            f"{sum(value < 0.97 for value in long)} faster"
        )


if __name__ == "__main__":
    main()
