"""Random nests in every form that is legal for them, on one core and on threads, against CPython.

Sizes are small and prices would choose few of these forms, so each program runs under a switch that
has nests take a form wherever it is legal (CONTRIBUTING.md). How many nests ran in which form is
counted: a rewriting that nothing exercises fails here.
"""

import ast
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from fuzz.compared import means, share_compiled
from fuzz.domain import examined
from fuzz.domains.nests import DOMAIN, KINDS, script

SEEDS = [9_000 + k for k in range(21)]

# Of the nests of all seeds, how many at least ran so.
LEAST = {
    "scalar-replacement": 10,
    "interchange": 20,
    "distribution": 10,
    "wavefront": 30,
    "induction-substitution": 5,
    "index-set-splitting": 5,
    "anti-dependence copies": 5,
    "lockstep": 5,
    "threads": 120,
    "lanes": 20,
    "independent": 60,
    "split": 5,
    "privatised arrays": 5,
    "array reductions": 5,
    "reductions": 10,
    "companions": 5,
    "last values": 60,
    "overlaps": 5,
    "values": 10,
    "elements": 3,
}


@pytest.fixture(scope="session")
def done(tmp_path_factory):
    """The batches of all seeds, as many at a time as there are cores."""
    folder = tmp_path_factory.mktemp("nests")
    pool = ThreadPoolExecutor(max(1, len(os.sched_getaffinity(0))))
    yield {seed: pool.submit(examined, DOMAIN, seed, folder) for seed in SEEDS}
    pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_nests(seed, done):
    batch = done[seed].result()
    assert not batch.broken
    for finding in batch.findings:
        pytest.fail(f"{finding.treatment}:\n{finding.text}", pytrace=False)


def test_every_form_was_run(done):
    words, ran, met = Counter(), 0, 0
    for job in done.values():
        runs = job.result().runs
        words += means(runs)
        native, loops = share_compiled(runs)
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
