"""Decisions held against the oracle: what `nestwise oracle` measured, as docs/results/oracle.md.

    python bench/oracle.py [--json F] [--about TEXT] [PART] [NAME ...]

Measures the programs of kernels/ that are named (else EVERY below), with the profile that runs
find (`nestwise calibrate` makes it first), goes on with what F holds, and puts the report into
docs/results/oracle.md. That takes an hour on two cores; Ctrl-C writes what is done, and the same
command goes on later. `--only-write` renders what F holds. PARTs have parts of the document of
their own: `--random`: COUNT random nests instead, an hour too; `--busy`: beside a process for each
core that does nothing but keep it busy; `--cold`: each size also in processes that have nothing
compiled; `--schedules`: single schedules of nests are candidates, too. The last three take fewer
sizes.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import secrets
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from nestwise import _core
from nestwise.options import profile_path
from nestwise.oracle import score
from nestwise.oracle.measure import COLD_CALLS, Experiment
from nestwise.oracle.programs import GENERATED
from nestwise.reporting import formatting

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "results" / "oracle.md"
# Sizes over the whole range, of runs that are no more than that.
FEW = 5
# Of each kind one or two; those of kernels/index.json that are held back are all among them.
EVERY = (
    "matmul lu_pivot cholesky triangular_solve jacobi2d heat3d gauss_seidel wave2d nbody ising "
    "sobel dither black_scholes floyd_warshall bellman_ford lcs knapsack binning mandelbrot sieve "
    "kmeans fft autocorrelation softmax convolve rank_update"
).split()
COUNT = 200
# So many schedules of each nest, for one core and for threads.
SCHEDULES = 6
# Calls that take so long have figures of their own.
LONG_S = 50e-6
# A site may take so long to be looked at for the first time.
START_UP_S = 1e-3
# Rows of the table of what went wrong.
WORST = 15


def measure(names: Sequence[str], kept: Path, part: str) -> None:
    scripts = [str(ROOT / "kernels" / f"{name}.py") for name in names if part != "random"]
    words = [sys.executable, "-m", "nestwise", "oracle", *scripts, "--json", str(kept)]
    words += ["--html", str(kept.with_suffix(".html"))]
    if part == "random":
        words += ["--generated", str(COUNT), "--seed", str(seed(kept))]
    if part in ("busy", "cold", "schedules"):
        words += ["--spread", str(FEW), "--even"]
    if part == "schedules":
        words += ["--schedules", str(SCHEDULES)]
    if part == "cold":
        words.append("--cold")
    with busy(_core.cores() if part == "busy" else 0):
        process = subprocess.Popen(words)
        while process.poll() is None:
            # Ctrl-C is for that one: it keeps what is done, which is written down here.
            with contextlib.suppress(KeyboardInterrupt):
                process.wait()


def seed(kept: Path) -> int:
    """The one that the file's random nests were made with; drawn if there are none yet."""
    content = json.loads(kept.read_text()) if kept.exists() else {"experiments": []}
    names = [one["program"] for one in content["experiments"] if one["group"] == GENERATED]
    return int(names[0].split("_")[1]) if names else secrets.randbelow(10**8) + 1


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that do nothing useful meanwhile."""
    words = [sys.executable, "-c", "while True: pass"]
    beside = [subprocess.Popen(words) for _ in range(count)]
    try:
        yield
    finally:
        for process in beside:
            process.kill()
            process.wait()


def report(done: Sequence[Experiment], about: str) -> list[str]:
    """The document's part that is measured."""
    scored = [score.score(one) for one in done]
    lines = [about, ""]
    for group, those in score.groups(scored).items():
        count = len({one.program for one in those})
        lines += [f"### {group.capitalize() or 'All programs'}", ""]
        lines += [f"{len(those)} experiments with {count} programs.", "", *_figures(those, group)]
    cold = score.cold(done)
    if cold:
        lines += _cold(cold)
    named = [one for one in scored if one.group != GENERATED]
    if named:
        lines += ["### By program", "", *_programs(named)]
    lines += ["### Longer calls", "", *_longer(scored)]
    lines += ["### The worst", "", *_worst(scored)]
    return lines


def _figures(scored: Sequence[score.Scored], group: str) -> list[str]:
    rows = score.against_oracle(scored, group)
    lines = ["| slower than the best candidate | mean | p95 | worst |", "|---|---|---|---|"]
    lines += [f"| {n} | {s.mean:.1%} | {s.p95:.1%} | {s.worst:.1%} |" for n, s in rows.items()]
    lines += ["", "| prediction error | median | p90 | of |", "|---|---|---|---|"]
    for device, (count, half, most) in score.prediction_errors(scored).items():
        lines.append(f"| {device} | {half:.1%} | {most:.1%} | {count} |")
    return [*lines, ""]


def _cold(cold: Sequence[score.Cold]) -> list[str]:
    """Calls from nothing: all of them, and without those that are over before a site is ready."""
    head = f"| {COLD_CALLS} calls from nothing, compiling included | mean | median | worst | of |"
    lines = ["### Calls from nothing", "", head, "|---|---|---|---|---|"]
    long = [one for one in cold if one.best_s >= START_UP_S]
    named = ((f"the best takes {_time(START_UP_S)} or more", long), ("all", cold))
    for name, those in named:
        ratios = [one.ratio for one in those]
        if ratios:
            mean, half = statistics.fmean(ratios), statistics.median(ratios)
            lines.append(
                f"| {name} | {mean:.2f} x | {half:.2f} x | {max(ratios):.2f} x | {len(ratios)} |"
            )
    lines += ["", "| the longest | size | chosen | best | times |", "|---|---|---|---|---|"]
    for one in sorted(long, key=lambda o: -o.ratio)[:WORST]:
        times = f"{_time(one.chosen_s)} | {one.best} {_time(one.best_s)}"
        lines.append(f"| {one.program} | {one.size} | {times} | {one.ratio:.2f} x |")
    return [*lines, ""]


def _longer(scored: Sequence[score.Scored]) -> list[str]:
    """Where the best candidate takes long enough for what is around the loops not to matter."""
    long = [one for one in scored if one.best_s >= LONG_S]
    lines = [
        f"{len(long)} experiments in which the best candidate takes {_time(LONG_S)} or more.",
        "",
        "| slower than the best candidate | mean | p95 | worst |",
        "|---|---|---|---|",
    ]
    learned = [one.learned for one in long if one.learned is not None]
    for name, slowdowns in (("chosen", [o.slowdown for o in long]), ("chosen, learning", learned)):
        if slowdowns:
            s = score.summary(slowdowns)
            lines.append(f"| {name} | {s.mean:.1%} | {s.p95:.1%} | {s.worst:.1%} |")
    return [*lines, ""]


def _programs(scored: Sequence[score.Scored]) -> list[str]:
    """A row for each: sizes, slowdowns, and where something else than the best was chosen."""
    head = "| program | sizes | mean | worst | with learning | over 5 % slower between |"
    lines = [head, "|---|---|---|---|---|---|"]
    intervals = score.intervals(scored)
    for name in dict.fromkeys(one.program for one in scored):
        those = [one for one in scored if one.program == name]
        s = score.summary([one.slowdown for one in those])
        learned = [one.learned for one in those if one.learned is not None]
        mean = f"{statistics.fmean(learned):.1%}" if learned else ""
        low, high = intervals.get(name, ("", ""))
        between = f"{low} and {high}" if low else ""
        held = " (held back)" if those[0].group else ""
        sizes = f"{len(those)}, {those[0].size} to {those[-1].size}"
        lines.append(
            f"| {name}{held} | {sizes} | {s.mean:.1%} | {s.worst:.1%} | {mean} | {between} |"
        )
    return [*lines, ""]


def _worst(scored: Sequence[score.Scored]) -> list[str]:
    lines = [
        "| program | size | chosen | best | slower | what was wrong |",
        "|---|---|---|---|---|---|",
    ]
    for one in sorted(scored, key=lambda o: -o.slowdown)[:WORST]:
        times = f"{_time(one.chosen_s)} | {one.best} {_time(one.best_s)}"
        why = score.wrong(one) or "no prediction"
        lines.append(f"| {one.program} | {one.size} | {times} | {one.slowdown:.1%} | {why} |")
    return [*lines, ""]


def _time(seconds: float) -> str:
    return formatting.seconds(seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=EVERY)
    parser.add_argument("--json", type=Path)
    parts = parser.add_mutually_exclusive_group()
    for part in ("random", "busy", "cold", "schedules"):
        parts.add_argument(
            f"--{part}", action="store_const", const=part, dest="part", default="report"
        )
    parser.add_argument("--about", default="")
    parser.add_argument("--only-write", action="store_true")
    options = parser.parse_args()
    part = options.part
    kept = options.json or ROOT / "target" / f"oracle-{part}.json"
    if not options.only_write:
        measure(options.names, kept, part)
    content = json.loads(kept.read_text())
    done = [Experiment(**one) for one in content["experiments"]]
    begin, end = f"<!-- {part} -->", f"<!-- end of {part} -->"
    before, rest = DOCUMENT.read_text().split(begin)
    after = rest.split(end)[1]
    path = profile_path()
    machine = json.loads(Path(path).read_text())["name"] if path and Path(path).exists() else ""
    about = (
        options.about or f"{datetime.date.today().isoformat()}; profile: {machine or 'default'}."
    )
    body = "\n".join(report(done, about))
    DOCUMENT.write_text(f"{before}{begin}\n{body}{end}{after}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
