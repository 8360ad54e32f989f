"""Batches of random programs: one script of many, run by CPython once and by nestwise under several
treatments.

A *program* is one generated function with its nest and its calls. It counts only where a kernel ran
in every treatment whose device is forced: a nest of that function with launches and iterations that
were kept. What happened in the counted ones is counted as well, so that programs cannot become tame
unnoticed.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import generator
from differential import FORCED, Done, Treatment, difference, fallbacks, nestwise, python
from shrinking import is_program

LIMIT_S = 60

# Forms of nests for tests, each as often as it is hard to get right.
FORMS = [
    "every",
    "waves",
    "distributed",
    "interchanged",
    "rewritten",
    "promoted",
    "written",
    "freed",
    "parted",
    "hoisted",
]

_TAGS = re.compile(r"# (f\d+): (.*)")
_WARNED = re.compile(r"\.py:(\d+): \w*Warning")


def rotation(seed: int) -> list[Treatment]:
    """Two or three treatments of a batch; compiling is what takes the time, so few have three."""
    turn = seed // 4
    form, other = f"{FORMS[turn % len(FORMS)]}:{seed}", FORMS[(turn + 4) % len(FORMS)]
    threads = (2, 5, 1)[turn % 3]
    free = ("auto", "quick", "together", "switch", "planned", "apart")[seed // 4 % 6]
    auto = Treatment(free, threads, "")
    cycle = [
        [Treatment("serial", 1, ""), Treatment("threads", threads, form)],
        [Treatment("threads", threads, ""), Treatment("interpreter", 1, "")],
        [Treatment("serial", 1, form), Treatment("threads", threads, other)],
        [Treatment("threads", threads, form), auto],
    ]
    return [*cycle[seed % 4], *([auto] if seed % 16 == 0 else [])]


class Program(NamedTuple):
    """One function of a script, with its calls."""

    name: str
    first: int  # lines
    last: int
    tags: tuple[str, ...]


def programs_of(text: str) -> list[Program]:
    """The random programs of a script, in order."""
    starts = [node for node in ast.parse(text).body if is_program(node)]
    tags = {name: tuple(filter(None, words.split(", "))) for name, words in _TAGS.findall(text)}
    ends = [node.lineno - 1 for node in starts[1:]] + [text.count("\n") + 1]
    return [
        Program(node.name, node.lineno, end, tags.get(node.name, ()))
        for node, end in zip(starts, ends, strict=True)
    ]


class Batch(NamedTuple):
    """What became of a batch."""

    seed: int
    programs: list[Program]
    counted: list[Program]
    facts: Counter[str]  # of the counted programs: how many have which property
    treatment: Treatment | None  # under which something differs
    found: str  # the difference
    runs: list[tuple[Treatment, Done]]
    expected: Done

    def likely(self) -> list[str]:
        """The programs that the difference speaks of."""
        names = set(re.findall(r"^[-+](f\d+) ", self.found, re.M))
        for line in map(int, _WARNED.findall("\n".join(re.findall(r"^[-+].*", self.found, re.M)))):
            names |= {p.name for p in self.programs if p.first <= line <= p.last}
        return sorted(names)


def run(
    text: str, seed: int, folder: Path, treatments: list[Treatment], stem: str = "batch"
) -> Batch:
    """All treatments of one script against one run of CPython; stops at the first that differs."""
    path = folder / f"{stem}_{seed}.py"
    path.write_text(text, encoding="utf-8")
    programs = programs_of(text)
    expected = python(path, timeout=LIMIT_S)
    runs: list[tuple[Treatment, Done]] = []
    for treatment in treatments if expected.code == 0 else ():
        got = nestwise(path, treatment, folder / "cache", timeout=3 * LIMIT_S)
        runs.append((treatment, got))
        found = difference(expected, got)
        if found:
            text = f"{found}\n{fallbacks(got, path)}"
            return Batch(seed, programs, [], Counter(), treatment, text, runs, expected)
    counted = [p for p in programs if _is_counted(p, runs)]
    facts: Counter[str] = Counter()
    for program in counted:
        facts.update(_facts(program, expected, runs))
    return Batch(seed, programs, counted, facts, None, "", runs, expected)


def of_seed(seed: int, functions: int, folder: Path) -> Batch:
    """The batch that a seed stands for."""
    return run(generator.script(seed, functions), seed, folder, rotation(seed))


# -- what happened -------------------------------------------------------------------------------


def nests_of(program: Program, done: Done) -> list[dict]:
    """The report's nests within a program's lines."""
    nests = (done.report or {}).get("nests", ())
    return [n for n in nests if program.first <= int(n["line"]) <= program.last]


def _is_counted(program: Program, runs: list[tuple[Treatment, Done]]) -> bool:
    forced = [done for treatment, done in runs if treatment.device in FORCED]
    return bool(forced) and all(
        any(n["launches"] and n["iterations"] for n in nests_of(program, done)) for done in forced
    )


def _facts(program: Program, expected: Done, runs: list[tuple[Treatment, Done]]) -> set[str]:
    """Properties of one program and of its runs."""
    found = set(program.tags)
    nests = [n for _, done in runs for n in nests_of(program, done)]
    if any(n["stopped"] for n in nests):
        found.add("taken back half-way")
    raised = any(
        line.startswith(f"{program.name} raised ") for line in expected.stdout.splitlines()
    )
    if raised:
        found.add("raises")
    if any(program.first <= int(line) <= program.last for line in _WARNED.findall(expected.stderr)):
        found.add("warns")
    codes = {f["code"] for n in nests for f in n["fallbacks"]}
    found |= {f"left by {code}" for code in codes & {"event", "floating-point", "inexact"}}
    found |= {f"did {word}" for n in nests for word in n["means"]}
    return found
