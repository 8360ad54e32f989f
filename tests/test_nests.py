"""Random nests in every form that is legal for them, on one core and on threads, against CPython.

Sizes are small and prices would choose few of these forms, so each program runs under a switch that
has nests take a form wherever it is legal (CONTRIBUTING.md). How many nests ran in which form is
counted: a rewriting that nothing exercises fails here.
"""

import ast
from collections import Counter
from typing import NamedTuple

import pytest
from differential import Treatment, difference, fallbacks
from fuzz import means, share_compiled, treatments
from nest_generator import KINDS, script

SEEDS = [9_000 + k for k in range(21)]

# Of the nests of all seeds, how many at least ran so.
LEAST = {
    "promoted": 10,
    "interchanged": 20,
    "distributed": 10,
    "waves": 30,
    "freed": 5,
    "parted": 5,
    "renamed": 5,
    "in step": 5,
    "threads": 120,
    "lanes": 20,
    "independent": 60,
    "split": 5,
    "own arrays": 5,
    "merged arrays": 5,
    "reductions": 10,
    "companions": 5,
    "last values": 60,
    "overlaps": 5,
    "values": 10,
    "elements": 3,
}


class Run(NamedTuple):
    """One treatment of a seed; the program is written when a session starts."""

    seed: int
    treatment: Treatment

    def processes(self):
        return []

    def __str__(self):
        return f"{self.seed}-{self.treatment}".replace(" ", "-")


RUNS = [Run(seed, treatment) for seed in SEEDS for treatment in treatments(seed)]


@pytest.fixture(scope="session")
def programs(runs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("nests")
    found = {}
    for seed in SEEDS:
        found[seed] = folder / f"nests_{seed}.py"
        found[seed].write_text(script(seed), encoding="utf-8")
        for device in (None, *treatments(seed)):
            runs.start(device, found[seed])
    return found


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_random_nests(run, runs, programs):
    program = programs[run.seed]
    expected = runs.get(None, program)
    assert expected.code == 0, expected.stderr
    got = runs.get(run.treatment, program)
    found = difference(expected, got)
    if found:
        pytest.fail(f"{found}\n\n{fallbacks(got, program)}", pytrace=False)


def test_every_form_was_run(runs, programs):
    words, ran, met = Counter(), 0, 0
    for seed, program in programs.items():
        done = [(treatment, runs.get(treatment, program)) for treatment in treatments(seed)]
        words += means(done)
        native, loops = share_compiled(done)
        ran, met = ran + native, met + loops
    rare = {word: (words[word], least) for word, least in LEAST.items() if words[word] < least}
    assert not rare, f"ran, wanted: {rare}"
    assert ran >= 0.6 * met, f"only {ran} of {met} loops ran compiled"


def test_nests_are_python_and_differ_by_seed():
    texts = {script(seed) for seed in range(30)}
    assert len(texts) == 30
    for text in texts:
        functions = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)]
        nests = [f for f in functions if f.name[1:].isdigit()]
        assert len(nests) == len(KINDS)
        assert all(any(isinstance(n, ast.For) for n in ast.walk(f)) for f in nests)
    assert script(5) == script(5)
