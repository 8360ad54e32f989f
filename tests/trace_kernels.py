"""What the loops of the whole corpus may do, judged by traces at three small sizes.

    python tests/trace_kernels.py [--jobs N] [--out FILE] [NAME...]

writes one JSON entry for each program and form: its loops, merged over the sizes. A loop is serial
if any size shows it to be; what no size shows (a branch not taken, a row shared by chance) is not
in the table, so it may call a loop parallel that larger data would make serial, never the reverse.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from access_trace import trace_file
from tracer.verdict import PARALLEL, REDUCTION, SERIAL, UNSEEN

KERNELS = Path(__file__).resolve().parent.parent / "kernels"

# Where the usual sizes would take long, or be too small to run.
SIZES = {
    "fft": (1, 2, 3),
    "mandelbrot": (7, 9, 12),
    "quadrature": (1, 2, 3),
    "template_match": (12, 15, 18),
}
_RANK = (UNSEEN, PARALLEL, REDUCTION, SERIAL)


def sizes(entry: dict[str, Any]) -> tuple[int, ...]:
    """Three sizes of at most a few seconds, from the one that takes CPython a tenth of one."""
    small = entry["sizes"]["small"]
    usual = (40, 80, 160) if small > 500 else (small // 10 + 3, small // 7 + 3, small // 5 + 3)
    return SIZES.get(entry["name"], usual)


def merged(loops: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """One loop at several sizes. What one of them refutes, the others do not uphold."""
    seen = [loop for loop in loops if loop["verdict"] != UNSEEN] or list(loops)
    worst = max(seen, key=lambda loop: _RANK.index(loop["verdict"]))
    whys = {loop["because"] for loop in seen}

    def union(key: str) -> set[str]:
        return set().union(*(loop[key] for loop in seen))

    carried = union("carried")
    result = {key: worst[key] for key in ("line", "var", "depth", "function", "verdict")}
    # The reason that no more data can remove first.
    result["because"] = next((w for w in ("while", "generator", "exit", "flow") if w in whys), None)
    result["executions"] = sum(loop["executions"] for loop in seen)
    result["iterations"] = sum(loop["iterations"] for loop in seen)
    result["carried"] = sorted(carried)
    result["op"] = sorted(union("op"))
    result["induction"] = sorted(union("induction") - carried)
    result["private"] = sorted(union("private") - carried - union("induction"))
    serial = [loop for loop in seen if loop["verdict"] == SERIAL]
    result["distributable"] = bool(serial) and all(loop["distributable"] for loop in serial)
    return result


def traced(job: tuple[dict[str, Any], str]) -> dict[str, Any]:
    """One program in one form."""
    entry, form = job
    runs = []
    for size in sizes(entry):
        words = ["--size", str(size), "--form", form]
        runs.append(trace_file(KERNELS / entry["file"], words, memory=False))
    by_line = zip(*(run["loops"] for run in runs), strict=True)
    return {
        "name": entry["name"],
        "form": form,
        "sizes": sizes(entry),
        "complete": all(run["complete"] for run in runs),
        "loops": [merged(same) for same in by_line],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="What the loops of the corpus may do, as JSON.")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--out", type=Path, help="file to write; standard output without")
    parser.add_argument("names", nargs="*", help="programs; all without")
    options = parser.parse_args()
    index = json.loads((KERNELS / "index.json").read_text(encoding="utf-8"))
    if unknown := set(options.names) - {entry["name"] for entry in index}:
        parser.error("no such program: " + ", ".join(sorted(unknown)))
    jobs = [
        (entry, form)
        for entry in index
        if not options.names or entry["name"] in options.names
        for form in entry["forms"]
    ]
    table = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for result in pool.map(traced, jobs):
            print(result["name"], result["form"], *result["sizes"], file=sys.stderr)
            table.append(result)
    # One loop a line: the table is read by people too.
    text = "[\n" + ",\n".join(map(_entry, table)) + "\n]\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


def _entry(program: dict[str, Any]) -> str:
    head = json.dumps({key: value for key, value in program.items() if key != "loops"})
    loops = ",\n".join("  " + json.dumps(loop) for loop in program["loops"])
    return f' {head[:-1]}, "loops": [\n{loops}\n ]}}'


if __name__ == "__main__":
    main()
