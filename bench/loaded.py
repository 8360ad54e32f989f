"""Threads on a busy machine: the same programs on one core and on threads, all cores busy.

    python bench/loaded.py [--size medium] [--rounds 7] [--busy N] [NAME ...]

Beside one busy process per core, each round runs every program on both devices, one after the
other, with compiled kernels from the cache; medians of the loops' own time. A thread that waits for
its turn must not hold up the others, so threads should never take more than 1.5 times what one core
takes under the same load.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import contextmanager

from run import KERNELS, script_seconds

LIMIT = 1.5
# Where the default profile may choose threads: long loops, short ones in a time loop, reductions.
NAMES = ["matmul", "cholesky", "heat3d", "life", "nbody", "sobel", "black_scholes", "mandelbrot"]
DEVICES = ("serial", "threads")


@contextmanager
def load(processes: int):
    """So many processes that do nothing but compute."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def seconds(entry: dict, device: str, size: str, cache: str) -> float:
    command = [sys.executable, "-m", "nestwise", "run", "--device", device]
    command += [str(KERNELS / entry["file"]), "--size", size]
    return script_seconds(command, dict(os.environ, NESTWISE_CACHE_DIR=cache))[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--size", default="medium")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--busy", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    index = json.loads((KERNELS / "index.json").read_text())
    entries = index if isinstance(index, list) else next(iter(index.values()))
    chosen = [entry for entry in entries if entry["name"] in options.names]
    if missing := set(options.names) - {entry["name"] for entry in chosen}:
        parser.error(f"no such program: {', '.join(sorted(missing))}")
    print(f"{options.busy} busy processes; loops in ms, medians of {options.rounds}")
    print(f"{'program':<20}{'serial':>10}{'threads':>10}{'ratio':>8}")
    worst = 0.0
    with tempfile.TemporaryDirectory() as cache:
        for entry in chosen:
            for device in DEVICES:
                seconds(entry, device, options.size, cache)
        with load(options.busy):
            for entry in chosen:
                times: dict[str, list[float]] = {device: [] for device in DEVICES}
                for _ in range(options.rounds):
                    for device in DEVICES:
                        times[device].append(seconds(entry, device, options.size, cache))
                serial, threads = (statistics.median(times[device]) for device in DEVICES)
                worst = max(worst, threads / serial)
                print(
                    f"{entry['name']:<20}{serial * 1e3:>10.2f}{threads * 1e3:>10.2f}"
                    f"{threads / serial:>8.2f}",
                    flush=True,
                )
    verdict = "within" if worst <= LIMIT else "above"
    print(f"worst ratio {worst:.2f}, {verdict} the limit of {LIMIT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
