"""What checks cost: every program of kernels/ with its checks and without, interleaved; minima.

    python bench/checks.py [--device serial] [--size medium] [--rounds 5] [--write] [NAME ...]

Checks are whatever a kernel does only because something might go wrong: guards, events, the test
of the floating-point flags, copies of what might have to be taken back. Without them
(NESTWISE_UNCHECKED, see CONTRIBUTING.md) a subscript is not looked at, not even for being negative:
a program that has negative subscripts gives another checksum then, and is measured again with
kernels that look at the sign. Each round runs a program's main() several times in one process for
each contender, and the first run (which compiles) does not count; on one core the time is that of
the thread, so that other processes matter less. Where there is no main(), the report's seconds of
the kernels are taken. `--write` puts the table into docs/results/checks.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "kernels"
DOCUMENT = ROOT / "docs" / "results" / "checks.md"
BEGIN, END = "<!-- {device} -->", "<!-- end of {device} -->"
# Runs of main() in a process.
TURNS = 5
GOAL_ALL, GOAL_ONE = 1.03, 1.15


class Run(NamedTuple):
    seconds: float
    checksum: str
    guards: int
    taken_back: int
    whole: bool


class Contender(NamedTuple):
    """What NESTWISE_UNCHECKED says, and how the table calls it."""

    value: str
    name: str


CHECKED = Contender("", "checks")
UNCHECKED = Contender("bench", "none")
SIGNS = Contender("bench-wraps", "none but signs")


def once(script: Path, size: str, device: str, contender: Contender) -> Run | None:
    """One process; None if it crashed, as a program without checks may."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        env = dict(os.environ, NESTWISE_CACHE_DIR=scratch, NESTWISE_UNCHECKED=contender.value)
        base = [sys.executable, "-m", "nestwise", "run", "--device", device]
        base += ["--report=json", "--report-file", str(report)]
        clock = ["--cpu"] if device == "serial" else []
        again = [*base, str(ROOT / "bench" / "again.py"), *clock, str(script), str(TURNS)]
        again += ["--size", size]
        done = subprocess.run(again, capture_output=True, text=True, env=env, cwd=ROOT)
        whole = done.returncode == 3
        if whole:
            again = [*base, str(script), "--size", size]
            done = subprocess.run(again, capture_output=True, text=True, env=env, cwd=ROOT)
        if done.returncode != 0:
            if contender is CHECKED:
                raise SystemExit(f"{' '.join(again)} failed:\n{done.stderr}")
            return None
        said = [line.split(" ", 1) for line in done.stdout.splitlines() if " " in line]
        nests = json.loads(report.read_text())["nests"]
    checksums = {v for k, v in said if k == "checksum"}
    seconds = [float(v) for k, v in said if k == "kernel_seconds"][1:]
    if whole:
        # By the clock on the wall: `measure` makes up for it with more processes.
        seconds = [sum(nest["measured_s"] for nest in nests)]
    words = [w for nest in nests for w in nest["schedules"] if "guards" in w]
    guards = sum(int(w.split(" guards")[0].rsplit(" ", 1)[1]) for w in words)
    events = sum(f["count"] for n in nests for f in n["fallbacks"] if f["code"] == "guard-failure")
    return Run(min(seconds), " ".join(sorted(checksums)), guards, events, whole)


class Row(NamedTuple):
    name: str
    checked: float
    without: float
    contender: Contender
    guards: int
    taken_back: int

    @property
    def ratio(self) -> float:
        return self.checked / self.without


def measure(name: str, script: Path, size: str, device: str, rounds: int) -> Row | None:
    first = once(script, size, device, CHECKED)
    other = UNCHECKED
    blind = once(script, size, device, other)
    if blind is None or blind.checksum != first.checksum:
        other = SIGNS
        blind = once(script, size, device, other)
        if blind is None or blind.checksum != first.checksum:
            return None
    checked, without = [first.seconds], [blind.seconds]
    for turn in range(rounds * TURNS if first.whole else rounds - 1):
        for contender in (CHECKED, other) if turn % 2 else (other, CHECKED):
            run = once(script, size, device, contender)
            (checked if contender is CHECKED else without).append(run.seconds)
    return Row(name, min(checked), min(without), other, first.guards, first.taken_back)


def geomean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def table(rows: list[Row], left_out: list[str], device: str, size: str) -> list[str]:
    ratios = [row.ratio for row in rows]
    above = sum(ratio > GOAL_ONE for ratio in ratios)
    lines = [
        f"{datetime.date.today()}, {device}, size {size}: "
        f"geometric mean {geomean(ratios):.3f}, worst {max(ratios):.2f}, "
        f"above {GOAL_ONE}: {above} of {len(ratios)}.",
        "",
        "| program | with checks, ms | without, ms | ratio | guards left | without |",
        "|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda row: -row.ratio):
        times = f"{row.checked * 1e3:.2f} | {row.without * 1e3:.2f} | {row.ratio:.3f}"
        lines.append(f"| {row.name} | {times} | {row.guards} | {row.contender.name} |")
    if left_out:
        reason = "guards fail in them, so that they go wrong without checks"
        lines += ["", f"Not measured: {', '.join(left_out)}; {reason}."]
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="programs; all if none is given")
    parser.add_argument("--device", default="serial", choices=["serial", "threads"])
    parser.add_argument("--size", default="medium")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="into docs/results/checks.md")
    options = parser.parse_args()
    index = json.loads((KERNELS / "index.json").read_text())
    rows, left_out = [], []
    for entry in index:
        if entry["refused"] or (options.names and entry["name"] not in options.names):
            continue
        script = KERNELS / entry["file"]
        row = measure(entry["name"], script, options.size, options.device, options.rounds)
        if row is None:
            left_out.append(entry["name"])
            print(f"{entry['name']:20} goes wrong without checks", flush=True)
            continue
        rows.append(row)
        print(
            f"{row.name:20} {row.checked * 1e3:9.2f} {row.without * 1e3:9.2f} {row.ratio:7.3f} "
            f"{row.guards:4} guards {row.taken_back} taken back, {row.contender.name}",
            flush=True,
        )
    lines = table(rows, left_out, options.device, options.size)
    print("\n".join(lines))
    if options.write:
        begin, end = (mark.format(device=options.device) for mark in (BEGIN, END))
        before, rest = DOCUMENT.read_text().split(begin)
        body = "\n".join([begin, *lines, end])
        DOCUMENT.write_text(before + body + rest.split(end)[1])
    ratios = [row.ratio for row in rows]
    print(f"goals: {GOAL_ALL} ({geomean(ratios):.3f}), none above {GOAL_ONE} ({max(ratios):.3f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
