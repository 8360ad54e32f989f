"""Judges a script by its kernels for a card: LLVM makes PTX of them, and ptxas assembles it.

A pretended driver takes the kernels (tests/ptx.py), so no card is needed.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from differential import Treatment
from ptx import COMPILER, RANDOM_CAPABILITY, assembled, compiled, driver, ptxas

from .domain import Batch, Finding, Judge, Script, Shows, programs_of

ON_A_CARD = Treatment("gpu", 0)


def unavailable() -> str:
    if COMPILER is None or ptxas() is None:
        return "needs a C compiler and ptxas (NESTWISE_PTXAS)"
    return ""


def examine(script: Script, stem: str = "") -> Batch:
    """A script may end with an error of its own: that is CPython's."""
    path = script.path(stem)
    path.write_text(script.text)
    facts: Counter[str] = Counter()
    findings: list[Finding] = []
    with tempfile.TemporaryDirectory(dir=script.folder) as folder:
        done, made = compiled(driver(Path(folder)), RANDOM_CAPABILITY, str(path))
    refused = done.stderr[-1000:] if "LLVM ERROR" in done.stderr or done.returncode < 0 else ""
    for text in made if not refused else ():
        try:
            facts["kernels assembled"] += len(assembled(text, RANDOM_CAPABILITY))
        except RuntimeError as error:
            refused = str(error)
    if refused:
        findings.append(Finding("refused", script.seed, "", ON_A_CARD, refused))
    return Batch(script.seed, script.text, programs_of(script.text), [], facts, findings, [], [])


def reduction(script: Script, batch: Batch, finding: Finding) -> tuple[str, Sequence[str], Shows]:
    def refused(text: str) -> bool:
        return bool(examine(script._replace(text=text), "shrink").findings)

    return script.text, [], refused


JUDGE = Judge(examine, reduction)
