"""Where the scripts of findings go: small ones among the programs that are always run."""

from __future__ import annotations

from pathlib import Path

from differential import DEVICES, PROGRAMS, Treatment

from .domain import Batch, Finding, Script
from .shrinking import shrink

FOUND = PROGRAMS / "found"


def keep(script: Script, batch: Batch, finding: Finding, shrinking: bool, out: Path | None) -> Path:
    """Saves the script of a finding, made small where that is asked for.

    A small script that differs goes to tests/programs/found/, everything else to the folder of the
    run, unless `out` names another one.
    """
    text, likely, shows = script.domain.judge.reduction(script, batch, finding)
    name = "_".join([script.domain.name, str(finding.seed), *finding.name.split()])
    if finding.kind != "differs":
        name = f"{name}_{finding.kind}"
    if shrinking:
        text = shrink(text, shows, likely=likely)
    folder = out or (FOUND if shrinking and finding.kind == "differs" else script.folder)
    target = folder / f"{name}.py"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f"# {finding.treatment}\n{text}", encoding="utf-8")
    return target


def recorded(program: Path) -> list[Treatment]:
    """The treatment that a kept program differed under, from its first line."""
    words = program.read_bytes().partition(b"\n")[0].decode("ascii", "replace").split()
    if len(words) in (3, 4) and words[0] == "#" and words[1] in DEVICES and words[2].isdigit():
        return [Treatment(words[1], int(words[2]), *words[3:])]
    return []
