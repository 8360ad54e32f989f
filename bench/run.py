"""Whole programs of kernels/: CPython, nestwise and hand-decorated Numba, interleaved; medians.

    python bench/run.py [--size medium] [--rounds 5] [--json FILE] [--no-numba] [NAME ...]

CPython runs once per program (its noise is small against the ratio), the others `--rounds` times,
one after the other in each round. nestwise: whole processes, the time of the loops as the script
prints it, with an empty compile cache (`cold`), with a filled one (`warm`), and the second to
fourth run of the script's main() in one process (`steady`; a script without one counts as warm).
Numba: the versions in bench/numba_versions, in one process, after a first call that compiles; the
better of its serial and its parallel version counts, against `steady`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "kernels"
NUMBA = ROOT / "bench" / "numba_versions"


def script_seconds(command: list[str], env: dict[str, str]) -> tuple[str, float]:
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=ROOT)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    lines = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
    return lines["checksum"], float(lines["kernel_seconds"])


def steady_seconds(arguments: list[str], env: dict[str, str]) -> float | None:
    """The median of later runs in one process; None if the script can only be run once."""
    script, *rest = arguments
    again = [str(ROOT / "bench" / "again.py"), script, "4", *rest]
    command = [sys.executable, "-m", "nestwise", "run", *again]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=ROOT)
    if done.returncode == 3:
        return None
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    return statistics.median([float(v) for k, v in lines if k == "kernel_seconds"][1:])


class NumbaVersion:
    """One hand-decorated program, compiled by its first call."""

    def __init__(self, name: str, size: int):
        spec = importlib.util.spec_from_file_location(name, NUMBA / f"{name}.py")
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)
        self.size = size
        self.versions = {"serial": self.module.serial}
        if getattr(self.module, "parallel", None):
            self.versions["prange"] = self.module.parallel
        for version in self.versions:
            self.seconds(version)

    def seconds(self, version: str) -> float:
        arguments = self.module.setup(self.size)
        begun = time.perf_counter()
        self.versions[version](*arguments)
        return time.perf_counter() - begun


def measure(entry: dict, form: str, size: str, rounds: int, with_numba: bool) -> dict:
    arguments = [str(KERNELS / entry["file"]), "--size", size]
    if form != "ndarray":
        arguments += ["--form", form]
    numba = None
    if with_numba and form == "ndarray" and (NUMBA / f"{entry['name']}.py").exists():
        numba = NumbaVersion(entry["name"], entry["sizes"][size])
    ours = [sys.executable, "-m", "nestwise", "run", *arguments]
    times: dict[str, list[float]] = {"cold": [], "warm": [], "steady": []}
    with tempfile.TemporaryDirectory() as scratch:
        plain_sum, plain = script_seconds([sys.executable, *arguments], dict(os.environ))
        for turn in range(rounds):
            env = dict(os.environ, NESTWISE_CACHE_DIR=f"{scratch}/{turn}")
            checksum, cold = script_seconds(ours, env)
            times["cold"].append(cold)
            times["warm"].append(script_seconds(ours, env)[1])
            times["steady"].append(steady_seconds(arguments, env) or times["warm"][-1])
            for version in numba.versions if numba else ():
                times.setdefault(version, []).append(numba.seconds(version))
    row = {"name": entry["name"], "form": form, "equal": plain_sum == checksum, "cpython": plain}
    row |= {key: statistics.median(values) for key, values in times.items()}
    best = [row[v] for v in ("serial", "prange") if v in row]
    row["numba"] = min(best) if best else None
    return row


def geomean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def show(row: dict) -> None:
    numba = (
        f"{row['numba'] * 1e3:9.2f} {row['numba'] / row['steady']:6.2f}x" if row["numba"] else ""
    )
    print(
        f"{row['name']:24} {row['form']:8} {row['cpython']:8.3f} {row['cold'] * 1e3:9.2f} "
        f"{row['warm'] * 1e3:9.2f} {row['steady'] * 1e3:9.2f} "
        f"{row['cpython'] / row['warm']:8.1f}x {numba:18}"
        f"{'' if row['equal'] else ' DIFFERENT'}",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="medium", choices=["small", "medium", "large"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--no-numba", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    with_numba = not args.no_numba and importlib.util.find_spec("numba") is not None
    if not with_numba and not args.no_numba:
        print("numba is not installed here; pip install numba to compare with it")
    print(f"{platform.processor() or platform.machine()}, CPython {platform.python_version()}")
    print(
        f"{'program':24} {'form':8} {'CPython':>8} {'cold ms':>9} {'warm ms':>9} {'steady ms':>9} "
        f"{'speedup':>9} {'Numba ms':>9} {'ratio':>7}"
    )
    entries = json.loads((KERNELS / "index.json").read_text())
    rows = []
    for entry in entries:
        if entry.get("refused") or (args.names and entry["name"] not in args.names):
            continue
        for form in entry["forms"]:
            rows.append(measure(entry, form, args.size, args.rounds, with_numba))
            show(rows[-1])
    for form in ("ndarray", "list"):
        ratios = [r["cpython"] / r["warm"] for r in rows if r["form"] == form]
        if ratios:
            print(f"geomean over CPython, {form}: {geomean(ratios):.0f}x")
    ratios = [r["numba"] / r["steady"] for r in rows if r["numba"]]
    if ratios:
        print(
            f"geomean over the better of Numba's two: {geomean(ratios):.2f}x, "
            f"worst {min(ratios):.2f}x"
        )
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))
    return 0 if all(r["equal"] for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
