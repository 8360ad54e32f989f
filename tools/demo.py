"""Runs a handful of kernels/ under CPython and under nestwise and prints a table.

    python tools/demo.py [--size small|medium|large] [NAME ...]

Both runs are whole processes of the same unmodified script. The times are what the scripts print
of themselves: the loops alone, compilation included (the compile cache starts empty). `share` is
the part of the time CPython spends in those loops that ran compiled under nestwise.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The share of the loop time that has to run compiled: the rest passes while kernels are made, which
# on a quick machine is more of a short program.
ENOUGH = 0.9
KERNELS = ROOT / "kernels"
HANDFUL = 9


def run_script(command: list[str], env: dict[str, str]) -> tuple[str, float]:
    """The checksum and the kernel seconds that a script prints."""
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=ROOT)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    lines = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
    return lines["checksum"], float(lines["kernel_seconds"])


def share(report: Path, cpython_s: float) -> float:
    """Part of the loops' CPython time that ran compiled: all but what CPython still took, which
    counts for a loop and for the one around it."""
    nests = json.loads(report.read_text())["nests"] if report.exists() else []
    if not any(n["launches"] for n in nests):
        return 0.0
    interpreted = sum(n["interpreted_s"] for n in nests)
    return max(0.0, 1.0 - interpreted / cpython_s)


def compare(entry: dict, form: str, size: str, scratch: Path) -> dict:
    arguments = [str(KERNELS / entry["file"]), "--size", size]
    if form != "ndarray":
        arguments += ["--form", form]
    env = dict(os.environ, NESTWISE_CACHE_DIR=str(scratch / "cache"))
    report = scratch / f"{entry['name']}-{form}.json"
    nestwise = [sys.executable, "-m", "nestwise", "run", "--report=json"]
    nestwise += ["--report-file", str(report)]
    plain, plain_s = run_script([sys.executable, *arguments], env)
    ours, ours_s = run_script([*nestwise, *arguments], env)
    return {
        "name": entry["name"] + ("" if form == "ndarray" else f" ({form})"),
        "equal": plain == ours,
        "cpython": plain_s,
        "nestwise": ours_s,
        "share": share(report, plain_s),
        "refused": entry.get("refused", False),
    }


def seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.1f} ms"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="medium")
    parser.add_argument("--all", action="store_true", help="every program in every form")
    parser.add_argument("names", nargs="*", help="programs of kernels/ (default: a handful)")
    args = parser.parse_args()
    entries = json.loads((KERNELS / "index.json").read_text())
    if args.names:
        entries = [e for e in entries if e["name"] in args.names]
    elif not args.all:
        # Every few programs of the index and the refused one: a sample nobody has chosen.
        usual = [e for e in entries if not e.get("refused")]
        entries = usual[:: max(1, len(usual) // HANDFUL)][:HANDFUL]
        entries += [e for e in json.loads((KERNELS / "index.json").read_text()) if e.get("refused")]
    if not entries:
        raise SystemExit("no such program in kernels/index.json")
    print(f"{'program':28} {'CPython':>10} {'nestwise':>10} {'speedup':>9} {'share':>7}  checksum")
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        for entry in entries:
            for form in entry["forms"] if args.all else entry["forms"][:1]:
                row = compare(entry, form, args.size, Path(scratch))
                note = " (refused, as it should be)" if row["refused"] else ""
                low = not row["refused"] and row["share"] < ENOUGH
                bad += (not row["equal"]) or low
                print(
                    f"{row['name']:28} {seconds(row['cpython']):>10} "
                    f"{seconds(row['nestwise']):>10} {row['cpython'] / row['nestwise']:>8.1f}x "
                    f"{row['share']:>6.1%}  {'equal' if row['equal'] else 'DIFFERENT'}{note}"
                    f"{' LOW SHARE' if low else ''}",
                    flush=True,
                )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
