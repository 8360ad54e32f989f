#!/usr/bin/env python3
"""Prints the schedules under which the nests of programs ran, to be compared before and after.

There is one line a nest.

Usage: schedules.py [--device serial|threads] [--size SIZE] [--form FORM] [PROGRAM...]: those of
kernels/ if none is named.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
# Every nest runs in optimised code that is compiled for it alone.
SETTINGS = {"NESTWISE_NO_CACHE": "1", "NESTWISE_TIER": "optimised", "NESTWISE_BACKGROUND": "0"}


def nests(program: Path, args: list[str], device: str) -> list[str]:
    """A line for each nest of a program that ran."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = [sys.executable, "-m", "nestwise", "run", "--device", device, "--report=json"]
        command += ["--report-file", report.name, str(program), *args]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | SETTINGS)
        if done.returncode:
            return [f"{program.stem} {done.stderr.strip().splitlines()[-1:]}"]
        found = json.loads(Path(report.name).read_text())["nests"]
    return [
        f"{program.stem}:{nest['line']} {sorted(nest.get('schedules', []))}"
        for nest in sorted(found, key=lambda nest: nest["line"])
    ]


def main() -> None:
    """Prints the lines of all programs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="serial", choices=["serial", "threads"])
    parser.add_argument("--size", default="small")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    parser.add_argument("programs", nargs="*", type=Path)
    options = parser.parse_args()
    index = json.loads((ROOT / "kernels/index.json").read_text())
    usual = [ROOT / "kernels" / k["file"] for k in index if options.form in k["forms"]]
    for program in options.programs or usual:
        words = [] if options.programs else ["--size", options.size, "--form", options.form]
        print("\n".join(nests(program, words, options.device)), flush=True)


if __name__ == "__main__":
    main()
