"""What compiled code was predicted to take against what it took: every nest of kernels/.

    python bench/predicted.py [--device serial] [--json F] [--generated N [--seed S]] [NAME ...]

Each program runs in a process of its own at sizes from which on its nests take 30 us or more, up to
those where they take 30 ms, five times each, the quickest counting. Prices are those of the profile
that runs find (`nestwise calibrate` makes it), without what launches teach, and with the kernel
there; what is measured is the launch, or where a program has one nest what the program says its
loops took. A row for each nest: predicted over measured by size, nests in order of their medians.
That takes two to three minutes; `nestwise oracle` compares decisions, which takes an hour.
--generated: the oracle's random programs instead, N of a seed, which is drawn and told; some
seconds each.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from nestwise.oracle import generate

ROOT = Path(__file__).resolve().parent.parent
LEAST_S, MOST_S, LONGEST_TURN_S = 30e-6, 30e-3, 1.0
TURNS, TIMEOUT_S = 5, 120
FIRST = (13, 21)


class Row(NamedTuple):
    program: str
    line: int
    size: int
    predicted: float  # seconds
    measured: float


def measured(name: str, script: Path, form: str, device: str) -> list[Row]:
    """`form`: which of its forms, or nothing where it has one."""
    words = [sys.executable, "-m", "nestwise", "run", "--device", device, __file__]
    settings = {"NESTWISE_LEARNING": "0", "NESTWISE_BACKGROUND": "0"}
    try:
        done = subprocess.run(
            [*words, "--measure", name, str(script), form],
            env=os.environ | settings,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        output = done.stdout
        if done.returncode:
            print(f"{name}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
    except subprocess.TimeoutExpired as stopped:
        output = (stopped.stdout or b"").decode()
    return [Row(*json.loads(line)) for line in output.splitlines()]


def measure(name: str, script: str, form: str) -> None:
    """In the process of a program: a line of JSON for each nest at each size."""
    from nestwise import _core

    sys.path.insert(0, str(Path(script).parent))
    which = ["--form", form] if form else []
    sys.argv = [script, "--size", str(FIRST[0]), *which]
    with contextlib.redirect_stdout(io.StringIO()):
        module = importlib.import_module(Path(script).stem)

    if not hasattr(module, "main"):
        raise SystemExit("no main() that could be called again")

    def turn(size: int) -> tuple[float, float]:
        """Seconds in all, and those that the program says its loops took."""
        sys.argv = [script, "--size", str(size), *which]
        begun, printed = time.perf_counter(), io.StringIO()
        with contextlib.redirect_stdout(printed):
            module.main()
        words = printed.getvalue().split()
        own = float(words[words.index("kernel_seconds") + 1]) if "kernel_seconds" in words else 0.0
        return time.perf_counter() - begun, own

    def sums() -> dict[int, tuple[int, float, float]]:
        nests = _core.report()
        own = (n for n in nests if n.file == script)
        return {n.line: (n.launches, n.predicted_s, n.measured_s) for n in own}

    for size in sizes():
        took, _ = turn(size)
        best: dict[int, tuple[float, float]] = {}
        for _ in range(TURNS):
            before = sums()
            _, loops = turn(size)
            new = {
                line: [a - b for a, b in zip(after, before.get(line, (0, 0.0, 0.0)), strict=True)]
                for line, after in sums().items()
            }
            new = {line: rest for line, (launches, *rest) in new.items() if launches}
            for line, (said, seconds) in new.items():
                # What an only nest takes besides, the program has measured: to read lists, say.
                seconds = loops if loops and len(new) == 1 else seconds
                if seconds < best.get(line, (0.0, float("inf")))[1]:
                    best[line] = (said, seconds)
        together = sum(seconds for _, seconds in best.values())
        for line, (said, seconds) in best.items():
            if seconds > LEAST_S:
                print(json.dumps([name, line, size, said, seconds]), flush=True)
        if together > MOST_S or took > LONGEST_TURN_S:
            return


def sizes() -> Iterator[int]:
    a, b = FIRST
    while a < 1e8:
        yield a
        a, b = b, a + b


def table(rows: list[Row]) -> None:
    nests: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows:
        nests[row.program, row.line].append(row)
    ratio = lambda row: row.predicted / row.measured  # noqa: E731
    middle = {key: statistics.median(map(ratio, those)) for key, those in nests.items()}
    for key in sorted(nests, key=middle.__getitem__):
        points = " ".join(f"{r.size}:{r.measured * 1e6:.0f}us/{ratio(r):.2f}" for r in nests[key])
        print(f"{middle[key]:6.2f} {key[0]}:{key[1]} {points}")
    programs: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows:
        programs[row.program, row.size].append(row)
    off = sorted(
        abs(sum(r.predicted for r in those) / sum(r.measured for r in those) - 1)
        for those in programs.values()
    )
    if off:
        half, most = off[len(off) // 2], off[len(off) * 9 // 10]
        print(f"{len(off)} programs at a size: half are off by at most {half:.0%},")
        print(f"nine of ten by at most {most:.0%}")


def of_kernels(names: list[str]) -> Iterator[tuple[str, Path, str]]:
    """Name, script and form of each program."""
    index = json.loads((ROOT / "kernels" / "index.json").read_text(encoding="utf-8"))
    for entry in index:
        if not entry["refused"] and (not names or entry["name"] in names):
            yield entry["name"], ROOT / "kernels" / entry["file"], entry["forms"][0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", default="serial", choices=["serial", "threads"])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--generated", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=random.randrange(10**8))
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = of_kernels(given.names)
        if given.generated:
            print(f"{given.generated} random programs: --seed {given.seed}")
            made = generate.programs(given.generated, given.seed, Path(folder))
            programs = ((program.name, program.script, "") for program in made)
        rows = [row for program in programs for row in measured(*program, given.device)]
    if given.json:
        given.json.write_text(json.dumps(rows) + "\n", encoding="utf-8")
    table(rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(*sys.argv[2:])
    else:
        main()
