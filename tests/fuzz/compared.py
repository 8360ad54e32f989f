"""Judges a script by its whole processes: nobody may tell nestwise's from CPython's.

A program counts as *compiled* where a kernel ran in every run whose device is forced: a nest of
that function with launches and iterations that were kept. What happened in these programs is
counted as well, so that programs cannot become tame unnoticed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from differential import FORCED, Done, Treatment, difference, fallbacks, nestwise, python

from .domain import Batch, Finding, Judge, Program, Script, Shows, programs_of

LIMIT_S = 60

_WARNED = re.compile(r"\.py:(\d+): \w*Warning")


def examine(script: Script, stem: str = "") -> Batch:
    """All treatments of a script against one run of CPython; ends at the first that differs."""
    path = script.path(stem)
    path.write_text(script.text, encoding="utf-8")
    programs = programs_of(script.text)
    expected = python(path, timeout=LIMIT_S)
    batch = Batch(script.seed, script.text, programs, [], Counter(), [], [], [])
    if expected.code != 0:
        batch.broken.append(f"CPython ended with {expected.code}")
    if expected.code == "timeout" or "SyntaxError" in expected.stderr:
        return batch
    for treatment in script.treatments:
        environment = script.domain.environment(script.seed)
        cache = script.folder / "cache"
        got = nestwise(path, treatment, cache, timeout=3 * LIMIT_S, switches=environment)
        batch.runs.append((treatment, got))
        if found := difference(expected, got):
            what = f"{found}\n{fallbacks(got, path)}"
            batch.findings.append(Finding("differs", script.seed, "", treatment, what))
            return batch
    compiled = [p for p in programs if _is_compiled(p, batch.runs)]
    facts = batch.facts
    facts["reported"] = len(programs)
    for program in compiled:
        facts.update(_facts(program, expected, batch.runs))
    return batch._replace(compiled=compiled)


def reduction(script: Script, batch: Batch, finding: Finding) -> tuple[str, Sequence[str], Shows]:
    alone = script._replace(treatments=[finding.treatment])

    def differs(text: str) -> bool:
        return bool(examine(alone._replace(text=text), "shrink").findings)

    return script.text, likely(batch.programs, finding.text), differs


JUDGE = Judge(examine, reduction)


def likely(programs: Sequence[Program], found: str) -> list[str]:
    """The programs that a difference speaks of."""
    names = set(re.findall(r"^[-+](f\d+) ", found, re.M))
    for line in map(int, _WARNED.findall("\n".join(re.findall(r"^[-+].*", found, re.M)))):
        names |= {p.name for p in programs if p.first <= line <= p.last}
    return sorted(names)


# -- what happened ---------------------------------------------------------------------------------


def nests_of(program: Program, done: Done) -> list[dict]:
    """The report's nests within a program's lines."""
    nests = (done.report or {}).get("nests", ())
    return [n for n in nests if program.first <= int(n["line"]) <= program.last]


def _is_compiled(program: Program, runs: Sequence[tuple[Treatment, Done]]) -> bool:
    forced = [done for treatment, done in runs if treatment.device in FORCED]
    # Where no device is forced, every run counts.
    counting = forced or [done for _, done in runs]
    return all(
        any(n["launches"] and n["iterations"] for n in nests_of(program, done)) for done in counting
    )


def _facts(program: Program, expected: Done, runs: Sequence[tuple[Treatment, Done]]) -> set[str]:
    """Properties of one program and of its runs."""
    found = set(program.tags)
    nests = [n for _, done in runs for n in nests_of(program, done)]
    if any(n["stopped"] for n in nests):
        found.add("rolled back")
    raised = any(
        line.startswith(f"{program.name} raised ") for line in expected.stdout.splitlines()
    )
    if raised:
        found.add("raises")
    if any(program.first <= int(line) <= program.last for line in _WARNED.findall(expected.stderr)):
        found.add("warns")
    codes = {f["code"] for n in nests for f in n["fallbacks"]}
    found |= {f"left by {code}" for code in codes & {"guard-failure", "floating-point", "inexact"}}
    found |= {f"did {word}" for n in nests for word in n["means"]}
    return found


def means(runs: Sequence[tuple[Treatment, Done]]) -> Counter[str]:
    """How many loops had what done with them, by the report's words (`means`)."""
    found = {
        (nest["line"], word)
        for _, done in runs
        for nest in (done.report or {}).get("nests", ())
        for word in nest["means"]
    }
    return Counter(word for _, word in found)


def share_compiled(runs: Sequence[tuple[Treatment, Done]]) -> tuple[int, int]:
    """(loops that ran compiled, loops met), over the runs on a device that is forced."""
    met = ran = 0
    for treatment, done in runs:
        if treatment.device not in FORCED or done.report is None:
            continue
        lines: dict[int, bool] = {}
        for nest in done.report.get("nests", ()):
            lines[nest["line"]] = lines.get(nest["line"], False) or nest["launches"] > 0
        met += len(lines)
        ran += sum(lines.values())
    return ran, met
