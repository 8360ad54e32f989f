"""Random programs against CPython, and the parts of the fuzzer.

What a program is and when it counts is said in batches.py. `make fuzz` is the long run.
"""

import ast
import os
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import batches
import pytest
from differential import DEVICES, Treatment
from fuzz import recorded
from generator import script
from generator.more_idioms import KINDS
from shrinking import shrink

SEEDS = [7_000 + k for k in range(43)]
FUNCTIONS = 40  # in each script

COUNTED = 1_500
SHARE = 0.9

# Of the counted programs of all seeds, how many at least are so: what makes programs worth running
# must not be lost when they are made to count.
LEAST = {
    "taken back half-way": 300,
    "raises": 200,
    "warns": 150,
    "left by floating-point": 30,
    "edges": 800,
    "mixed types": 500,
    "lists and arrays": 350,
    "views": 300,
    "aliases": 100,
    "strange": 70,
    "empty": 30,
    "long": 40,
    "conversions": 50,
    "grows": 50,
    "perhaps unbound": 250,
    "try": 120,
    "with": 70,
    "swaps": 80,
    "generator": 20,
    "closure": 25,
    "global": 20,
    "attributes": 40,
    "array.array": 40,
    "continues": 40,
    "breaks": 30,
    "returns": 10,
    "loop else": 30,
    "did threads": 200,
    "did lanes": 30,
    "did overlaps": 40,
    **{kind.replace("_", " "): 4 for kind in KINDS},
}


@pytest.fixture(scope="session")
def done(tmp_path_factory):
    """The batches of all seeds, two at a time."""
    folder = tmp_path_factory.mktemp("fuzz")
    pool = ThreadPoolExecutor(max(1, len(os.sched_getaffinity(0))))
    yield {seed: pool.submit(batches.of_seed, seed, FUNCTIONS, folder) for seed in SEEDS}
    pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs(seed, done):
    batch = done[seed].result()
    assert batch.expected.code == 0, batch.expected.stderr
    if batch.found:
        pytest.fail(f"{batch.treatment}:\n{batch.found}", pytrace=False)


def test_most_programs_ran_compiled_and_few_are_tame(done):
    programs, counted, facts = 0, 0, Counter()
    for job in done.values():
        batch = job.result()
        programs += len(batch.programs)
        counted += len(batch.counted)
        facts += batch.facts
    print(f"{counted} of {programs} programs ran compiled:", dict(facts.most_common()))
    assert counted >= COUNTED
    assert counted >= SHARE * programs, f"{counted} of {programs} ran compiled"
    rare = {fact: (facts[fact], least) for fact, least in LEAST.items() if facts[fact] < least}
    assert not rare, f"are so, wanted: {rare}"


def test_every_treatment_has_its_turn():
    met = [treatment for seed in SEEDS for treatment in batches.rotation(seed)]
    # What is emulated is so as `together` and as `apart`.
    assert {t.device for t in met} == set(DEVICES) - {"emulated"}
    assert {t.threads for t in met if t.device == "threads"} == {1, 2, 5}
    for device in ("serial", "threads"):
        forms = {t.schedule.partition(":")[0] for t in met if t.device == device}
        assert forms == {"", *batches.FORMS}, device
    assert all(len(batches.rotation(seed)) in (2, 3) for seed in SEEDS)


def test_programs_are_python_and_differ_by_seed():
    texts = {script(seed, 3) for seed in range(40)}
    assert len(texts) == 40
    for text in texts:
        compile(text, "program", "exec")
        assert [p.name for p in batches.programs_of(text)] == ["f0", "f1", "f2"]
        assert all(p.tags for p in batches.programs_of(text))
    assert script(5, 3) == script(5, 3)


def test_what_a_difference_speaks_of_is_known(tmp_path):
    text = script(1, 4)
    programs = batches.programs_of(text)
    warned = f"-x.py:{programs[3].first}: RuntimeWarning: odd"
    found = f"@@\n-f2 | int 3\n+f2 | int 4\n{warned}\n f0 | int 1"
    batch = batches.Batch(1, programs, [], Counter(), None, found, [], None)
    assert batch.likely() == ["f2", "f3"]


def test_shrinking_keeps_what_matters_and_drops_the_rest():
    rng = random.Random(1)
    noise = "\n".join(f"y{k} = {rng.random()}" for k in range(12))
    loop = "for x in a:\n        if x:\n            bad(x + 1)"
    text = f"def f(a):\n    {loop}\n    return 3\n{noise}\nf(1)\n"

    def differs(candidate):
        return any(
            isinstance(node, ast.Call) and getattr(node.func, "id", "") == "bad"
            for node in ast.walk(ast.parse(candidate))
        )

    small = shrink(text, differs)
    assert "bad" in small
    assert "y3" not in small
    assert len(small.splitlines()) <= 3


def test_shrinking_tries_the_likely_function_first():
    text = script(3, 30)
    tried = []

    def differs(candidate):
        tried.append(candidate)
        return "def f17(" in candidate

    small = shrink(text, differs, seconds=1.0, likely=["f17"])
    assert "def f17(" in small and "def f16(" not in small
    assert "def f17(" in tried[0] and "def f16(" not in tried[0]


@pytest.mark.parametrize("schedule", ["waves:3", ""])
def test_a_kept_program_says_how_it_differed(tmp_path, schedule):
    program = tmp_path / "kept.py"
    program.write_text(f"# {Treatment('threads', 5, schedule)}\nprint(1)\n")
    assert recorded(program) == [Treatment("threads", 5, schedule)]
    for text in ("# a script of four\n", '"""Found."""\n', ""):
        program.write_text(text)
        assert recorded(program) == []
