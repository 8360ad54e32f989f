"""Scripts whose loops an exception or a signal ends: nestwise beside python.

    python bench/endings.py [--rounds 5] [NAME ...]

Every script of tests/endings/ as a process of its own, under python, under nestwise with nothing
kept, and with kernels kept, in turn; medians. The limit is 1.3 times python's time and 50 ms, which
a row that exceeds it says; the exit status is 1 then, and where outputs differ.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENDINGS = ROOT / "tests" / "endings"
FACTOR, SLACK_S = 1.3, 0.05
# Scripts that are run once for each of several arguments.
ARGUMENTS = {"pingpong": ("list", "array", "attribute", "global")}


def run(program: Path, argument: str, cache: str | None) -> tuple[float, str]:
    words = [str(program), *filter(None, [argument])]
    env = dict(os.environ)
    if cache is not None:
        words = ["-m", "nestwise", "run", *words]
        env["NESTWISE_CACHE_DIR"] = cache
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, *words], env=env, capture_output=True, text=True)
    return time.perf_counter() - begun, f"{done.returncode} {done.stdout}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    exceeded = False
    print(f"{'script':40} {'python':>9} {'cold':>9} {'kept':>9}  limit {FACTOR} x + {SLACK_S} s")
    for program in sorted(ENDINGS.glob("*.py")):
        if options.names and program.stem not in options.names:
            continue
        for argument in ARGUMENTS.get(program.stem, ("",)):
            with tempfile.TemporaryDirectory() as kept:
                times: dict[str, list[float]] = {"python": [], "cold": [], "kept": []}
                outputs = set()
                run(program, argument, kept)
                for _ in range(options.rounds):
                    for way, found in times.items():
                        with tempfile.TemporaryDirectory() as empty:
                            cache = {"python": None, "cold": empty, "kept": kept}[way]
                            seconds, output = run(program, argument, cache)
                        found.append(seconds)
                        outputs.add(output)
            usual, cold, warm = (statistics.median(found) for found in times.values())
            late = max(cold, warm) > FACTOR * usual + SLACK_S
            exceeded |= late or len(outputs) > 1
            said = "exceeded" if late else ""
            said += " outputs differ" if len(outputs) > 1 else ""
            name = f"{program.stem} {argument}"
            print(f"{name:40} {usual:8.3f}s {cold:8.3f}s {warm:8.3f}s  {said}", flush=True)
    return int(exceeded)


if __name__ == "__main__":
    sys.exit(main())
