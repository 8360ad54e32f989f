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
    fallbacks,
    nestwise,
    treatments,
    unmet,
)
from fuzz import recorded

# What the scripts import.
MODULES = ("showing.py", "support.py")

SCRIPTS = sorted(
    path
    for path in (*PROGRAMS.glob("*.py"), *PROGRAMS.glob("found/*.py"))
    if path.name not in MODULES
)


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
            Run(program, device)
            for program in SCRIPTS
            for device in (*treatments(program, every), *recorded(program))
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
    program = PROGRAMS / "operators.py"
    expected = runs.get(None, program, "all")
    got = nestwise(program, "serial", runs.cache, "all", timeout=1800)
    assert not difference(expected, got)


def test_every_script_has_something_to_show(runs):
    for program in SCRIPTS:
        if unmet(program):
            continue
        done = runs.get(None, program)
        assert done.stdout, f"{program.name} prints nothing"
        assert done.code != "timeout", f"{program.name} takes too long"
