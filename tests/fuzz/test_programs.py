"""Random programs against CPython, and the parts of the fuzzer.

`fuzz/` says what a program is, fuzz/compared.py when it ran compiled. `make fuzz` is the long run.
"""

import ast
import dataclasses
import os
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from differential import DEVICES, Treatment

from fuzz import driver
from fuzz.compared import likely
from fuzz.domain import examined, programs_of
from fuzz.domains.programs import DOMAIN, FORMS, rotation, script
from fuzz.generator.more_idioms import KINDS
from fuzz.kept import recorded
from fuzz.shrinking import shrink

SEEDS = [7_000 + k for k in range(43)]
FUNCTIONS = 40  # in each script

COUNTED = 1_500
SHARE = 0.9

# Of the counted programs of all seeds, how many at least are so: what makes programs worth running
# must not be lost when they are made to count.
LEAST = {
    "rolled back": 300,
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
    yield {seed: pool.submit(examined, DOMAIN, seed, folder, FUNCTIONS) for seed in SEEDS}
    pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs(seed, done):
    batch = done[seed].result()
    assert not batch.broken
    for finding in batch.findings:
        pytest.fail(f"{finding.treatment}:\n{finding.text}", pytrace=False)


def test_most_programs_ran_compiled_and_few_are_tame(done):
    programs, counted, facts = 0, 0, Counter()
    for job in done.values():
        batch = job.result()
        programs += len(batch.programs)
        counted += len(batch.compiled)
        facts += batch.facts
    print(f"{counted} of {programs} programs ran compiled:", dict(facts.most_common()))
    assert counted >= COUNTED
    assert counted >= SHARE * programs, f"{counted} of {programs} ran compiled"
    rare = {fact: (facts[fact], least) for fact, least in LEAST.items() if facts[fact] < least}
    assert not rare, f"are so, wanted: {rare}"


def test_every_treatment_has_its_turn():
    met = [treatment for seed in SEEDS for treatment in rotation(seed)]
    # What is emulated is so as `together` and as `apart`.
    assert {t.device for t in met} == set(DEVICES) - {"emulated"}
    assert {t.threads for t in met if t.device == "threads"} == {1, 2, 5}
    for device in ("serial", "threads"):
        forms = {t.schedule.partition(":")[0] for t in met if t.device == device}
        assert forms == {"", *FORMS}, device
    assert all(len(rotation(seed)) in (2, 3) for seed in SEEDS)


def test_programs_are_python_and_differ_by_seed():
    texts = {script(seed, 3) for seed in range(40)}
    assert len(texts) == 40
    for text in texts:
        compile(text, "program", "exec")
        assert [p.name for p in programs_of(text)] == ["f0", "f1", "f2"]
        assert all(p.tags for p in programs_of(text))
    assert script(5, 3) == script(5, 3)


def test_what_a_difference_speaks_of_is_known(tmp_path):
    text = script(1, 4)
    programs = programs_of(text)
    warned = f"-x.py:{programs[3].first}: RuntimeWarning: odd"
    found = f"@@\n-f2 | int 3\n+f2 | int 4\n{warned}\n f0 | int 1"
    assert likely(programs, found) == ["f2", "f3"]


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


@pytest.mark.parametrize("schedule", ["wavefront:3", ""])
def test_a_kept_program_says_how_it_differed(tmp_path, schedule):
    program = tmp_path / "kept.py"
    program.write_text(f"# {Treatment('threads', 5, schedule)}\nprint(1)\n")
    assert recorded(program) == [Treatment("threads", 5, schedule)]
    for text in ("# a script of four\n", '"""Found."""\n', ""):
        program.write_text(text)
        assert recorded(program) == []


WRONG = "import os\nprint(f99(3), 'NESTWISE_SCHEDULE' in os.environ)"


def test_the_command_line_makes_a_finding_small_and_keeps_it(tmp_path, monkeypatch, capsys):
    """A program that prints whether it runs under nestwise differs."""

    def planted(seed, functions):
        return script(seed, functions) + f"\n\ndef f99(n):\n    return n\n\n\n{WRONG}\n"

    domain = dataclasses.replace(DOMAIN, script=planted)
    monkeypatch.setitem(driver.DOMAINS, "programs", domain)
    words = ["--domain", "programs", "--seed", "5", "--count", "2", "--functions", "2"]
    assert driver.main([*words, "--out", str(tmp_path)]) == 1
    (kept,) = tmp_path.glob("*.py")
    text = kept.read_text()
    assert "os.environ" in text and len(text.splitlines()) <= 4
    assert recorded(kept)
    assert "1 differs" in capsys.readouterr().out


def test_the_command_line_says_that_nothing_differs(capsys):
    words = ["--domain", "tuples", "--seed", "5", "--count", "6", "--functions", "3"]
    assert driver.main(words) == 0
    told = capsys.readouterr().out
    assert "6 programs in 2 scripts" in told and "no findings" in told
