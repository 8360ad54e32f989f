"""What nestwise says of every loop of kernels/, beside what exhaustive access traces show.

`python tests/kernel_verdicts.py` writes the table `docs/results/loops.md`. The traces are those of
`tests/data/loops_traced.json`, which `tests/trace_kernels.py` makes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
TRACED = ROOT / "tests" / "data" / "loops_traced.json"
TABLE = ROOT / "docs" / "results" / "loops.md"

# Loops of which nestwise says less than the traces show, or nothing, with the reason.
LESS = {
    ("knapsack", 16): "an element is read before a later iteration writes it, unless weights are "
    "negative, which is a matter of the data",
    ("floyd_warshall", 16): "row k could change in iteration k; that its distances never do is a "
    "matter of the data; explain says to split there, and the executor does",
    ("conjugate_gradient", 27): "unrolled: it runs over a literal tuple",
}
RANK = ["parallel", "reduction", "serial"]


class Row(NamedTuple):
    """One loop."""

    program: str
    line: int
    var: str
    traced: str
    told: str
    condition: str
    refusal: str

    def agrees(self) -> bool:
        """Whether it is told as what the traces show; a condition may go either way."""
        return self.told in (self.traced, "when")


def traced() -> dict[str, dict[int, dict]]:
    """By program and line: the worst that a trace of any form and size showed."""
    found: dict[str, dict[int, dict]] = {}
    for entry in json.loads(TRACED.read_text()):
        loops = found.setdefault(entry["name"], {})
        for loop in entry["loops"]:
            if loop["verdict"] == "unseen":
                continue
            old = loops.get(loop["line"])
            if old is None or RANK.index(old["verdict"]) < RANK.index(loop["verdict"]):
                loops[loop["line"]] = loop
    return found


def explained(program: str) -> dict:
    """What `nestwise explain` says."""
    command = [sys.executable, "-m", "nestwise", "explain", "--json", f"kernels/{program}.py"]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)


def rows(program: str, loops: dict[int, dict], told: dict) -> list[Row]:
    """A row per loop that the traces saw."""
    verdicts = {loop["line"]: loop for nest in told["nests"] for loop in nest["loops"]}
    refused = {r["line"]: r["reason"] for r in told["refused"]}
    out = []
    for line, loop in sorted(loops.items()):
        ours = verdicts.get(line, {})
        out.append(
            Row(
                program,
                line,
                loop["var"],
                loop["verdict"],
                ours.get("verdict", "refused" if line in refused else "unrolled"),
                ours.get("condition") or "",
                "" if ours else refused.get(line, ""),
            )
        )
    return out


def write(table: list[Row], seconds: dict[str, list[dict[str, float]]]) -> str:
    """The table as Markdown."""
    lines = [
        "# Every loop of the corpus",
        "",
        "Every loop of `kernels/`: what exhaustive access traces under CPython show of it (three",
        "sizes, both forms; the worst of them), and the verdict of `nestwise explain`, which runs",
        f"nothing. Measured on {date.today()}; `make loops` measures again and rewrites this page.",
        "",
        "| program | line | loop | traced | nestwise | |",
        "| --- | --: | --- | --- | --- | --- |",
    ]
    for row in table:
        note = LESS.get((row.program, row.line), "")
        note = note or (f"if `{row.condition}`" if row.condition else "")
        note = note or (f"runs in CPython: {row.refusal}" if row.refusal else "")
        cells = (row.program, str(row.line), f"`{row.var}`", row.traced, row.told, note)
        lines.append("| " + " | ".join(cells) + " |")
    agree = sum(row.agrees() for row in table)
    refused = sum(row.told == "refused" for row in table)
    lines += [
        "",
        f"{len(table)} loops: {agree} as the traces show, {refused} in nests that CPython runs,"
        f" {len(table) - agree - refused} told as less.",
        "",
        "## Time of the stages",
        "",
        "Milliseconds per nest, the median of five runs of each program's nests, and the largest.",
        "",
        "| program | nests | lower | prove | analyse | largest analyse |",
        "| --- | --: | --: | --: | --: | --: |",
    ]
    every: list[float] = []
    for program, nests in seconds.items():
        if not nests:
            continue
        stages = [median(n[s] for n in nests) * 1e3 for s in ("lower", "prove", "analyse")]
        every += [n["prove"] + n["analyse"] for n in nests]
        most = max(n["analyse"] for n in nests) * 1e3
        cells = [program, str(len(nests)), *(f"{v:.2f}" for v in (*stages, most))]
        lines.append("| " + " | ".join(cells) + " |")
    lines += [
        "",
        f"Static stage (prove and analyse) per nest: median {median(every) * 1e3:.2f} ms.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Writes the table."""
    table, seconds = [], {}
    for program, loops in traced().items():
        runs = [explained(program) for _ in range(5)]
        table += rows(program, loops, runs[0])
        by_nest = zip(*([n["seconds"] for n in run["nests"]] for run in runs), strict=True)
        seconds[program] = [{s: median(r[s] for r in nest) for s in nest[0]} for nest in by_nest]
    TABLE.write_text(write(table, seconds))


if __name__ == "__main__":
    main()
