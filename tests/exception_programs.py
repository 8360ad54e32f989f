"""Random loops that only an exception or a signal ends, against CPython.

    python tests/exception_programs.py [--seed N] [--programs M] [--device auto] [--shrink K]

A program is one function (generator/exceptions.py, generator/interrupted.py) with its calls; a
process runs 40 of them. Without --device each process runs as priced, and once more in a way that
the seed picks. What differs from CPython is a finding. So is, as priced, what takes more than 1.5
times as long as under CPython and 0.2 s: three measurements of both, the best of each. A program
that takes LIMIT_S is stopped and tried once more with four times as long, and the programs behind
it run in a process of their own. All findings are told, each with a script of that program alone in
the folder that is named at the beginning; the scripts of the first K are made small. The exit
status is 1 where anything was found, or where programs have become tame (LEAST).
"""

from __future__ import annotations

import argparse
import math
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from batches import Program, programs_of  # noqa: E402
from differential import Done, Treatment, faults, nestwise, python  # noqa: E402
from generator.exception_head import HEAD  # noqa: E402
from generator.exceptions import script  # noqa: E402
from shrinking import shrink  # noqa: E402

FUNCTIONS = 40

# What one program may take before its process is ended, and what a process may.
LIMIT_S, PROCESS_S = 6.0, 90.0

# What a program may take where nothing is forced. A forced device runs loops compiled, however
# small, and converts the lists of each: there only what does not end counts.
TIMES, MORE_S = 1.5, 0.2
# Handlers of signals get their turn this much later.
LATENCY_S = 0.06

PRICED = ("auto",)

# Of 100 programs, how many at least are so: what makes programs worth running must not be lost.
LEAST = {
    "ran natively": 26,
    "natively as priced": 12,
    "ends by IndexError": 14,
    "ends by StopIteration": 1,
    "ends by ZeroDivisionError": 2,
    "ends by ValueError": 5,
    "ends by OverflowError": 2,
    "ends by KeyError": 1,
    "ends by Found": 4,
    "ends by AssertionError": 0.4,
    "ends by SystemExit": 0.4,
    "ends by TypeError": 0.3,
    "ends by an exception, after a native part": 8,
    "signal": 12,
    "stopped by a signal, after a native part": 7,
    "flag": 1.5,
    "ticks": 20,
    "goes on": 2,
    "goes on often": 2,
    "handled inside": 4,
    "parser": 4,
    "large": 15,
    "inner loops": 2.5,
    "draws": 3,
    "prints": 2,
    "rare prints": 3,
    "module level": 2,
    "closure": 1.5,
}

_SEEN = re.compile(r"\('([A-Z]\w+)', ")


class Run(NamedTuple):
    """One process: what each program printed, the seconds of its calls, and who did not end."""

    done: Done
    shown: dict[str, str]
    seconds: dict[str, float]
    unfinished: str
    hung: bool
    where: str  # the stack of the program that was stopped


class Finding(NamedTuple):
    """What is wrong with one program."""

    kind: str  # differs, hangs, dies, slow, inside
    seed: int
    name: str
    treatment: Treatment
    text: str


class Batch(NamedTuple):
    """What became of the programs of one seed."""

    programs: list[Program]
    facts: Counter[str]
    findings: list[Finding]
    broken: list[str]  # programs that CPython did not end, or for which its answers do not hold


def rotation(seed: int, device: str = "") -> list[Treatment]:
    """How a batch runs: always as priced, and in one more way."""
    if device:
        return [Treatment(device, 2)]
    threads = (2, 5, 1)[seed // 4 % 3]
    others = [
        Treatment("serial", 1),
        Treatment("threads", threads),
        Treatment("planned", 2),
        Treatment("quick", 1),
        Treatment("switch", 1),
        Treatment("interpreter", 1),
    ]
    return [Treatment("auto", 2), others[seed % len(others)]]


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


def alone(text: str, program: Program) -> str:
    """The lines of one program; a script is HEAD and such."""
    return "\n".join(text.splitlines()[program.first - 1 : program.last]) + "\n"


def one_treatment(
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


def of_seed(seed: int, folder: Path, device: str = "", functions: int = FUNCTIONS) -> Batch:
    """The batch that a seed stands for."""
    text = script(seed, functions)
    path = folder / f"exceptions_{seed}.py"
    path.write_text(text, encoding="utf-8")
    programs = programs_of(text)
    broken: list[str] = []
    expected = executed(path, None, folder, limit=20.0)
    while expected.unfinished and expected.unfinished.startswith("f"):
        broken.append(expected.unfinished)
        expected = executed(path, None, folder, f"skip={','.join(broken)}", limit=20.0)
    # Where python's own answer does not hold, the program is wrong.
    unsound = [name for name, shown in expected.shown.items() if "no: " in shown]
    findings: list[Finding] = []
    runs: list[tuple[Treatment, Run]] = []
    for treatment in rotation(seed, device):
        with tempfile.TemporaryDirectory(dir=folder) as cache:
            more, done = one_treatment(
                path, seed, treatment, expected, {*broken, *unsound}, Path(cache)
            )
        findings += more
        runs += [(treatment, run) for run in done]
    facts: Counter[str] = Counter()
    for program in programs:
        if program.name in expected.shown:
            facts.update(_facts(program, expected.shown[program.name], runs))
    return Batch(programs, facts, findings, broken + unsound)


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


def tame(facts: Counter[str]) -> dict[str, tuple[int, float]]:
    """What happened less often than it should."""
    wanted = {fact: least * facts["reported"] / 100 for fact, least in LEAST.items()}
    return {f: (facts[f], least) for f, least in wanted.items() if facts[f] < int(least)}


# -- a small script for a finding ------------------------------------------------------------------


def small(finding: Finding, text: str, folder: Path, seconds: float = 120.0) -> str:
    """The smallest of a program's lines for which the same kind of thing is found."""
    path = folder / f"shrink_{finding.seed}.py"

    def differs(candidate: str) -> bool:
        path.write_text(HEAD + candidate)
        expected = executed(path, None, folder, limit=2.0)
        shown = expected.done.stdout
        if expected.done.code != 0 or "no: " in shown or not expected.seconds:
            return False
        if "\nended" not in shown and "\nstopped" not in shown:
            return False
        for _ in range(2):
            with tempfile.TemporaryDirectory(dir=folder) as cache:
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

    return shrink(text, differs, seconds=seconds)


def saved(finding: Finding, folder: Path, shrinking: bool) -> Path:
    """Writes the script of a finding, shrunk where that is asked for."""
    text = (folder / f"exceptions_{finding.seed}.py").read_text()
    program = next((p for p in programs_of(text) if p.name == finding.name), None)
    if program:
        text = alone(text, program)
        text = HEAD + (small(finding, text, folder) if shrinking else text)
    what = "".join(f"# {line}\n" for line in finding.text.splitlines())
    target = folder / f"{finding.kind}_{finding.seed}_{finding.name.replace(' ', '_')}.py"
    target.write_text(f"# {finding.treatment}: {finding.kind}\n{what}{text}", encoding="utf-8")
    return target


# -- the command line ------------------------------------------------------------------------------


def batches_of(options: argparse.Namespace, folder: Path) -> Iterator[tuple[int, Batch]]:
    made, seed = 0, options.seed
    while made < options.programs:
        functions = min(FUNCTIONS, options.programs - made)
        yield seed, of_seed(seed, folder, options.device, functions)
        made, seed = made + functions, seed + 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--programs", type=int, default=2_000, help="functions with their calls")
    parser.add_argument("--device", default="", help="one treatment instead of two that rotate")
    parser.add_argument("--shrink", type=int, default=1, help="how many findings to make small")
    parser.add_argument("--out", type=Path, help="the folder for scripts")
    options = parser.parse_args()
    folder = options.out or Path(tempfile.mkdtemp(prefix="exceptions-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"--seed {options.seed}, in {folder}", flush=True)
    programs, broken, begun = 0, 0, time.monotonic()
    facts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    seed = options.seed
    try:
        for seed, batch in batches_of(options, folder):
            programs += len(batch.programs)
            broken += len(batch.broken)
            facts += batch.facts
            for name in batch.broken:
                print(f"seed {seed} {name}: a mistake of the generator's: python does not end, or "
                      "what should hold does not")  # fmt: skip
            for finding in batch.findings:
                kinds[finding.kind] += 1
                small_one = kinds.total() <= options.shrink
                print(f"seed {seed} {finding.name} {finding.kind} on {finding.treatment}:")
                print(finding.text, saved(finding, folder, small_one), sep="\n", flush=True)
            if not batch.findings:
                (folder / f"exceptions_{seed}.py").unlink()
    except KeyboardInterrupt:
        print("stopped")
    print(", ".join(f"{word} {count}" for word, count in facts.most_common()))
    seconds = time.monotonic() - begun
    print(
        f"{programs} programs, {facts['ran natively']} ran natively, {kinds['differs']} differ, "
        f"{kinds['hangs']} hang, {kinds['slow']} are slow, {kinds['dies']} end the process, "
        f"{kinds['inside']} failed inside, {broken} broken; {seconds:.0f} s; go on with "
        f"--seed {seed + 1}"
    )
    rare = tame(facts) if programs >= 200 and not options.device else {}
    if rare:
        print(f"happened less often than wanted: {rare}")
    return 1 if kinds or broken or rare else 0


if __name__ == "__main__":
    sys.exit(main())
