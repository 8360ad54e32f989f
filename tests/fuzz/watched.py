"""Judges a script program by program, under a watchdog: for loops that might not end.

What differs from CPython is a finding. So is, where prices choose the device, what takes more than
1.5 times as long as under CPython and 0.2 s: three measurements of both, the best of each. A
program that takes LIMIT_S is ended and tried once more with four times as long, and the programs
behind it run in a process of their own. Scripts tell their progress (generator/exception_head.py).
"""

from __future__ import annotations

import math
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from differential import Done, Treatment, faults, nestwise, python

from .domain import Batch, Finding, Judge, Program, Script, Shows, programs_of
from .generator.exception_head import HEAD

# What one program may take before its process is ended, and what a process may.
LIMIT_S, PROCESS_S = 6.0, 90.0

# What a program may take where nothing is forced. A forced device runs loops compiled, however
# small, and converts the lists of each: there only what does not end counts.
TIMES, MORE_S = 1.5, 0.2
# Handlers of signals get their turn this much later.
LATENCY_S = 0.06

PRICED = ("auto",)

_SEEN = re.compile(r"\('([A-Z]\w+)', ")


class Run(NamedTuple):
    """One process: what each program printed, the seconds of its calls, and who did not end."""

    done: Done
    shown: dict[str, str]
    seconds: dict[str, float]
    unfinished: str
    hung: bool
    where: str  # the stack of the program that was stopped


def executed(
    path: Path, treatment: Treatment | None, cache: Path, which: str = "", limit: float = LIMIT_S
) -> Run:
    """The script under CPython (no treatment) or under nestwise; `which`: see exception_head.py."""
    progress = path.with_suffix(".progress")
    progress.write_text("")
    words = [str(progress), str(limit), which]
    if treatment is None:
        done = python(path, *words, timeout=PROCESS_S)
    else:
        done = nestwise(path, treatment, cache, *words, timeout=PROCESS_S)
    lines = progress.read_text(errors="replace").splitlines()
    begun = [line.split()[1] for line in lines if line.startswith("begin ")]
    seconds = {w[1]: float(w[2]) for w in map(str.split, lines) if w[:1] == ["done"]}
    shown = {}
    for part in ("\n" + done.stdout).split("\n== ")[1:]:
        name, _, text = part.partition("\n")
        if name in seconds:
            shown[name] = text.rstrip("\n")
    last = begun[-1] if begun and begun[-1] not in seconds else ""
    if not last and done.code != 0:
        last = "the end of the process"
    where = [line.strip() for line in lines if line.startswith("  File")]
    hung = done.code == "timeout" or any(line.startswith("Timeout (") for line in lines)
    return Run(done, shown, seconds, last, hung, "\n".join(where))


def examine(script: Script) -> Batch:
    """All treatments of a script against CPython, each with a cache of its own."""
    text, folder = script.text, script.folder
    path = script.path()
    path.write_text(text, encoding="utf-8")
    programs = programs_of(text)
    broken: list[str] = []
    expected = executed(path, None, folder, limit=20.0)
    while expected.unfinished and expected.unfinished.startswith("f"):
        broken.append(expected.unfinished)
        expected = executed(path, None, folder, f"skip={','.join(broken)}", limit=20.0)
    # Where CPython's own answer does not hold, the program is wrong.
    unsound = [name for name, shown in expected.shown.items() if "no: " in shown]
    findings: list[Finding] = []
    runs: list[tuple[Treatment, Run]] = []
    for treatment in script.treatments:
        with tempfile.TemporaryDirectory(dir=folder) as cache:
            more, done = _one_treatment(
                path, script.seed, treatment, expected, {*broken, *unsound}, Path(cache)
            )
        findings += more
        runs += [(treatment, run) for run in done]
    facts: Counter[str] = Counter()
    compiled = []
    for program in programs:
        if program.name in expected.shown:
            found = _facts(program, expected.shown[program.name], runs)
            facts.update(found)
            compiled += [program] * ("ran natively" in found)
    path.with_suffix(".progress").unlink(missing_ok=True)
    told = [f"CPython does not end {name}, or what should hold does not" for name in broken]
    told += [f"what should hold in {name} does not" for name in unsound]
    kept = [(treatment, run.done) for treatment, run in runs]
    return Batch(script.seed, text, programs, compiled, facts, findings, told, kept)


def difference(expected: str, got: str) -> str:
    """The first lines that differ."""
    one, other = expected.splitlines(), got.splitlines()
    pairs = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
    told = [f"-{a[:400]}\n+{b[:400]}" for a, b in pairs[:4]]
    if len(one) != len(other):
        told.append(f"{len(one)} lines under python, {len(other)} under nestwise")
    return "\n".join(told)


def allowed(treatment: Treatment, expected: float, signals: int) -> float:
    """The seconds that a program may take."""
    if treatment.device in PRICED:
        return TIMES * expected + MORE_S + LATENCY_S * signals
    return math.inf


def signals_of(program: Program, text: str) -> int:
    """How many calls of a program end by a signal."""
    part = "\n".join(text.splitlines()[program.first - 1 : program.last])
    return len(re.findall(r"^ *interrupt\(", part, re.M))


def slow(path: Path, name: str, treatment: Treatment, first: float, expected: float) -> str:
    """Says how slow a program is, unless two more measurements tell that it is not."""
    text = path.read_text()
    program = next(p for p in programs_of(text) if p.name == name)
    signals = signals_of(program, text)
    best, least = first, expected
    for _ in range(2):
        least = min(least, executed(path, None, path, f"only={name}").seconds.get(name, least))
        with tempfile.TemporaryDirectory() as cache:
            again = executed(path, treatment, Path(cache), f"only={name}")
        best = min(best, again.seconds.get(name, best))
        if best <= allowed(treatment, least, signals):
            return ""
    return f"{best:.3f} s, under python {least:.3f} s"


def _one_treatment(
    path: Path, seed: int, treatment: Treatment, expected: Run, skip: set[str], cache: Path
) -> tuple[list[Finding], list[Run]]:
    """Runs the programs of a script; those behind one that ends the process run in another."""
    text = path.read_text()
    programs = programs_of(text)
    findings: list[Finding] = []
    runs: list[Run] = []
    left = [p.name for p in programs if p.name not in skip]

    def found(kind: str, name: str, what: str) -> None:
        findings.append(Finding(kind, seed, name, treatment, what))

    while left:
        left_out = ",".join(p.name for p in programs if p.name not in left)
        run = executed(path, treatment, cache, f"skip={left_out}")
        runs.append(run)
        for what in faults(run.done.report):
            found("inside", _at(what, programs), what)
        for name in [name for name in left if name in run.seconds]:
            left.remove(name)
            if expected.shown[name] != run.shown.get(name, ""):
                found("differs", name, difference(expected.shown[name], run.shown.get(name, "")))
        if run.done.stderr != expected.done.stderr and not run.unfinished:
            found("differs", "standard error", run.done.stderr[:2000])
        if not run.unfinished:
            break
        name, what = run.unfinished, f"exit code {run.done.code}\n{run.where}"
        if name not in left:
            found("dies", name, f"{what}\n{run.done.stderr[-2000:]}")
            break
        left.remove(name)
        if not run.hung:
            found("dies", name, f"{what}\n{run.done.stderr[-2000:]}")
            continue
        # Whether it ever ends, if it gets more time.
        again = executed(path, treatment, cache, f"only={name}", 4 * LIMIT_S)
        runs.append(again)
        if name not in again.seconds:
            found("hangs", name, what)
        elif again.shown[name] != expected.shown[name]:
            found("differs", name, difference(expected.shown[name], again.shown[name]))
    for run in runs:
        for name, took in run.seconds.items():
            program = next(p for p in programs if p.name == name)
            usual = expected.seconds[name]
            if took > allowed(treatment, usual, signals_of(program, text)):
                if what := slow(path, name, treatment, took, usual):
                    found("slow", name, what)
    return findings, runs


def _at(what: str, programs: list[Program]) -> str:
    line = re.search(r"line (\d+)", what)
    number = int(line[1]) if line else 0
    return next((p.name for p in programs if p.first <= number <= p.last), "somewhere")


def _facts(program: Program, shown: str, runs: list[tuple[Treatment, Run]]) -> set[str]:
    """What one program is and did; nothing, where no process that it ended in left a report."""
    runs = [(t, r) for t, r in runs if r.done.report is not None and program.name in r.seconds]
    found = {tag for tag in program.tags if tag} if runs else set()
    if runs:
        found.add("reported")
    by = {f"ends by {name}" for name in _SEEN.findall(shown)}
    found |= by if runs else set()
    native = priced = False
    for treatment, run in runs:
        for nest in (run.done.report or {}).get("nests", ()):
            if program.first <= int(nest["line"]) <= program.last and nest["iterations"]:
                native = True
                priced |= treatment.device == "auto"
    if native:
        found.add("ran natively")
    if priced:
        found.add("natively as priced")
    if native and by:
        found.add("ends by an exception, after a native part")
    if "signal" in found:
        found.add("stopped by a signal" + ", after a native part" * native)
    return found


# -- a small script for a finding ------------------------------------------------------------------


def reduction(script: Script, batch: Batch, finding: Finding) -> tuple[str, Sequence[str], Shows]:
    """Begins with the program alone, if one is known, behind HEAD."""
    path = script.path("shrink")

    def differs(candidate: str) -> bool:
        path.write_text(candidate)
        expected = executed(path, None, script.folder, limit=2.0)
        shown = expected.done.stdout
        if expected.done.code != 0 or "no: " in shown or not expected.seconds:
            return False
        if "\nended" not in shown and "\nstopped" not in shown:
            return False
        for _ in range(2):
            with tempfile.TemporaryDirectory(dir=script.folder) as cache:
                got = executed(path, finding.treatment, Path(cache), limit=4.0)
            if finding.kind == "differs":
                if not got.unfinished and got.done.stdout != expected.done.stdout:
                    return True
            elif finding.kind == "hangs":
                return got.hung
            elif finding.kind == "slow":
                took, usual = sum(got.seconds.values()), sum(expected.seconds.values())
                if took <= 2 * usual + 0.3:
                    return False
            elif finding.kind == "dies":
                return bool(got.unfinished) and not got.hung
            else:
                return bool(faults(got.done.report))
        return finding.kind == "slow"

    return alone(script.text, finding.name), [finding.name], differs


def alone(text: str, name: str) -> str:
    """A script of one program; all of them, where none has that name."""
    program = next((p for p in programs_of(text) if p.name == name), None)
    if program is None:
        return text
    return HEAD + "\n".join(text.splitlines()[program.first - 1 : program.last]) + "\n"


JUDGE = Judge(examine, reduction)
