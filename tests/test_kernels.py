"""Every program of the corpus gives CPython's checksum on every CPU device, in every form."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from differential import ROOT, fallbacks, faults, nests_by_line

KERNELS = ROOT / "kernels"
INDEX = json.loads((KERNELS / "index.json").read_text(encoding="utf-8"))


class Run(NamedTuple):
    program: Path
    form: str
    device: str
    refused: bool

    def arguments(self):
        return ("--size", "small", "--form", self.form)

    def processes(self):
        return [
            (None, self.program, *self.arguments()),
            (self.device, self.program, *self.arguments()),
        ]

    def __str__(self):
        return f"{self.program.stem}-{self.form}-{self.device}"


RUNS = [
    Run(KERNELS / entry["file"], form, device, entry["refused"])
    for entry in INDEX
    for form in entry["forms"]
    for device in ("interpreter", "serial", "threads", "auto", "emulated")
]


def lines(done):
    """The output without the line that holds a time."""
    return [line for line in done.stdout.splitlines() if not line.startswith("kernel_seconds")]


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_checksum(run, runs):
    expected = runs.get(None, run.program, *run.arguments())
    got = runs.get(run.device, run.program, *run.arguments())
    assert expected.code == 0, expected.stderr
    assert (got.code, lines(got), got.stderr) == (0, lines(expected), expected.stderr), fallbacks(
        got, run.program
    )
    assert any(line.startswith("checksum ") for line in lines(got))
    _ran_where_it_should(run, got)


def _ran_where_it_should(run, got):
    assert got.report is not None
    assert not faults(got.report)
    nests = [n for group in nests_by_line(got.report, run.program).values() for n in group]
    launches = sum(nest["launches"] for nest in nests)
    if run.refused:
        assert launches == 0, fallbacks(got, run.program)
        assert got.report["refused"] or any(nest["fallbacks"] for nest in nests), "no reason given"
    elif run.device == "interpreter":
        assert launches == 0
    elif run.device in ("serial", "threads"):
        assert launches > 0, fallbacks(got, run.program)


def test_the_index_is_complete():
    listed = {entry["file"] for entry in INDEX}
    assert listed == {path.name for path in KERNELS.glob("*.py")}
    assert sum("list" in entry["forms"] for entry in INDEX) >= 8
    assert len(listed) >= 24
    assert any(entry["refused"] for entry in INDEX)
