"""Every script of programs/ behaves under nestwise as it does under CPython, on every device.

The scripts say by marks (see differential.py) which of their loops must run compiled, so a test
cannot pass because everything fell back.
"""

from pathlib import Path
from typing import NamedTuple

import pytest
from differential import (
    PROGRAMS,
    Treatment,
    broken_marks,
    difference,
    every_program,
    fallbacks,
    nestwise,
    program_named,
    treatments,
    unmet,
)
from fuzz.kept import recorded

SCRIPTS = every_program()


class Run(NamedTuple):
    program: Path
    device: str | Treatment

    def processes(self):
        if unmet(self.program):
            return []
        return [(None, self.program), (self.device, self.program)]

    def __str__(self):
        return f"{self.program.stem}-{self.device}".strip().replace(" ", "-")


def pytest_generate_tests(metafunc):
    if "run" in metafunc.fixturenames:
        every = metafunc.config.getoption("every_device")
        runs = [
            Run(script, device)
            for script in SCRIPTS
            for device in (*treatments(script, every), *recorded(script))
        ]
        metafunc.parametrize("run", runs, ids=str)


def test_program(run, runs):
    if unmet(run.program):
        pytest.skip(unmet(run.program))
    expected = runs.get(None, run.program)
    got = runs.get(run.device, run.program)
    found = difference(expected, got)
    if found:
        pytest.fail(f"{found}\n\n{fallbacks(got, run.program)}", pytrace=False)
    assert got.report is not None, "the process left no report"
    broken = broken_marks(run.program, got, run.device)
    if broken:
        pytest.fail("\n".join(broken), pytrace=False)


def test_every_operator_on_every_pair(request, runs):
    """Some thousand kernels: `operators.py` has one operator for each pair by itself."""
    if not request.config.getoption("every_device"):
        pytest.skip("with --every-device only")
    script = program_named("operators")
    expected = runs.get(None, script, "all")
    got = nestwise(script, "serial", runs.cache, "all", timeout=1800)
    assert not difference(expected, got)


def test_every_script_has_something_to_show(runs):
    for script in SCRIPTS:
        if unmet(script):
            continue
        done = runs.get(None, script)
        assert done.stdout, f"{script.name} prints nothing"
        assert done.code != "timeout", f"{script.name} takes too long"


def test_names_of_scripts_are_unique():
    files = [path.name for path in PROGRAMS.rglob("*.py")]
    assert len(files) == len(set(files))
