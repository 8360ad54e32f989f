"""A short seeded run of the fuzzer, and the fuzzer's own parts."""

import ast
import random

import pytest
from differential import Treatment, difference, fallbacks, python
from fuzz import recorded, share_compiled, shrink
from generator import script

SEEDS = [7_000 + k for k in range(10)]
FUNCTIONS = 15


class Run:
    """All seeds of one device; written into a folder of the session when it starts."""

    def __init__(self, seed, device):
        self.seed = seed
        self.device = device

    def processes(self):
        return []

    def __str__(self):
        return f"{self.seed}-{self.device}"


RUNS = [Run(seed, device) for seed in SEEDS for device in ("serial", "threads")]


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    found = {}
    for seed in SEEDS:
        found[seed] = folder / f"seed_{seed}.py"
        found[seed].write_text(script(seed, FUNCTIONS), encoding="utf-8")
    return found


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_random_programs(run, runs, programs):
    program = programs[run.seed]
    for device in (None, "serial", "threads"):
        runs.start(device, program)
    expected = runs.get(None, program)
    got = runs.get(run.device, program)
    found = difference(expected, got)
    if found:
        pytest.fail(f"{found}\n\n{fallbacks(got, program)}", pytrace=False)


def test_most_random_loops_run_compiled(runs, programs):
    done = [("serial", runs.get("serial", program)) for program in programs.values()]
    ran, met = share_compiled(done)
    assert met >= 150
    assert ran >= 0.6 * met, f"only {ran} of {met} loops ran compiled"


def test_programs_are_python_and_differ_by_seed():
    texts = {script(seed, 3) for seed in range(40)}
    assert len(texts) == 40
    for text in texts:
        compile(text, "program", "exec")
    assert script(5, 3) == script(5, 3)


def test_programs_do_something(programs):
    done = python(programs[SEEDS[0]])
    assert done.code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) > 3 * FUNCTIONS
    assert sum(" raised " in line for line in lines) < len(lines) / 3


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


def test_a_kept_program_says_how_it_differed(tmp_path):
    program = tmp_path / "kept.py"
    program.write_text(f"# {Treatment('threads', 5, 'waves:3')}\nprint(1)\n")
    assert recorded(program) == [Treatment("threads", 5, "waves:3")]
    for text in ("# a script of four\n", '"""Found."""\n', ""):
        program.write_text(text)
        assert recorded(program) == []
