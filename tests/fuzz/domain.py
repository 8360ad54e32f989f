"""What a domain is, and what a judge says of a script of one."""

from __future__ import annotations

import ast
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from differential import Done, Treatment

from .shrinking import is_program

_TAGS = re.compile(r"# (f\d+): (.*)")


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
        for node, end in zip(starts, ends, strict=False)
    ]


class Finding(NamedTuple):
    """What is wrong with a script, or with one program of it."""

    kind: str  # differs, hangs, dies, slow, inside, refused
    seed: int
    name: str  # the program; empty where it is the whole script
    treatment: Treatment
    text: str


class Batch(NamedTuple):
    """What became of the script of one seed."""

    seed: int
    text: str
    programs: list[Program]
    compiled: list[Program]  # a kernel ran in every run whose device is forced
    facts: Counter[str]  # of how many programs something is true
    findings: list[Finding]
    broken: list[str]  # mistakes of the generator: what CPython did not end as it should
    runs: list[tuple[Treatment, Done]]


# A finding's script, as one that may be smaller; whether it still shows the finding.
Shows = Callable[[str], bool]


class Judge(NamedTuple):
    """How the scripts of a domain are judged."""

    examine: Callable[[Script], Batch]
    # The text to begin shrinking with, the programs that likely matter, and what must stay true.
    reduction: Callable[[Script, Batch, Finding], tuple[str, Sequence[str], Shows]]


def on_one_core(seed: int) -> list[Treatment]:
    return [Treatment("serial", 1)]


def usual_environment(seed: int) -> dict[str, str]:
    return {}


def available() -> str:
    return ""


@dataclass(frozen=True)
class Domain:
    """A kind of random scripts: how one is made from a seed, and how it wants to be run."""

    name: str
    about: str
    script: Callable[[int, int], str]  # (seed, how many programs) -> its text
    judge: Judge
    functions: int = 20  # programs in a script
    treatments: Callable[[int], list[Treatment]] = on_one_core
    environment: Callable[[int], dict[str, str]] = usual_environment
    alone: bool = False  # it measures time: one script at a time
    # Of 100 programs that were run, how many at least are so: programs must not become tame.
    least: Mapping[str, float] = field(default_factory=dict)
    unavailable: Callable[[], str] = available  # why it cannot be run here, if so

    def tame(self, facts: Counter[str]) -> dict[str, tuple[int, float]]:
        """What happened less often than it should."""
        wanted = {fact: least * facts["reported"] / 100 for fact, least in self.least.items()}
        return {f: (facts[f], least) for f, least in wanted.items() if facts[f] < int(least)}


class Script(NamedTuple):
    """The script of a seed, to be judged in a folder."""

    domain: Domain
    seed: int
    text: str
    folder: Path
    treatments: list[Treatment]

    def path(self, stem: str = "") -> Path:
        return self.folder / f"{stem or self.domain.name}_{self.seed}.py"


def examined(
    domain: Domain, seed: int, folder: Path, functions: int = 0, device: str = ""
) -> Batch:
    """What becomes of the script of a seed; `device` replaces what the domain wants."""
    text = domain.script(seed, functions or domain.functions)
    treatments = [Treatment(device)] if device else domain.treatments(seed)
    return domain.judge.examine(Script(domain, seed, text, folder, treatments))


class Writer(Protocol):
    """Writes one program."""

    def build(self) -> list[str]: ...


def of_functions(
    head: str, program: Callable[[int, random.Random], Writer]
) -> Callable[[int, int], str]:
    """Scripts that begin with `head`; `program` makes a writer from a number and by chance."""

    def script(seed: int, functions: int) -> str:
        rng = random.Random(seed)
        parts = [head, *("\n".join(program(number, rng).build()) for number in range(functions))]
        return "\n".join(parts) + "\n"

    return script
