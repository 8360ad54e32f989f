"""`--device gpu` where something is missing or fails: the answer is CPython's, and it is said why.

The driver is a pretended one: no kernel runs on it.
"""

import ptx
import pytest
from differential import difference, nests_by_line, nestwise, python

SCRIPT = """\
import numpy as np
def scale(x, y, f):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = x[i, j] * f + i
x, y = np.arange(3000.0).reshape(50, 60), np.zeros((50, 60))
for k in range(5):
    scale(x, y, k)
    print(y.sum())
"""


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    if ptx.COMPILER is None:
        pytest.skip("no C compiler")
    return ptx.driver(tmp_path_factory.mktemp("driver"))


@pytest.fixture
def run(driver, tmp_path):
    def run(what):
        program = tmp_path / "scaled.py"
        program.write_text(SCRIPT)
        switches = {
            "LD_LIBRARY_PATH": str(driver),
            "FAKE_CUDA": what,
            "FAKE_CUDA_LOG": str(tmp_path / "log"),
        }
        done = nestwise(program, "gpu", tmp_path, switches=switches)
        log = tmp_path / "log"
        return program, done, log.read_text().splitlines() if log.exists() else []

    return run


@pytest.mark.parametrize(
    "what, why",
    [
        ("none", "tells of no card"),
        ("old", "is for CUDA 10.2; 11.4 or newer is needed"),
        ("ancient", "Pretended Card is too old: it has compute capability 3.0"),
        ("broken", "cannot be used: no CUDA-capable device is detected"),
    ],
)
def test_a_card_that_cannot_be_used_is_told_in_a_line(run, what, why):
    _, done, log = run(what)
    assert done.code == 2 and done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith("nestwise: device gpu: ") and why in line, line
    assert "context" not in log


@pytest.mark.parametrize(
    "what, why",
    [
        ("memory", "the device has no memory for copies of its arrays"),
        ("launch", "the GPU cannot be used: unspecified launch failure"),
        ("lost", "the GPU cannot be used: an illegal memory access was encountered"),
    ],
)
def test_a_failure_leaves_the_nest_to_the_cpu(run, what, why):
    program, done, log = run(what)
    assert not (found := difference(python(program), done)), found
    nests = [nest for found in nests_by_line(done.report, program).values() for nest in found]
    reasons = [f for nest in nests for f in nest["fallbacks"] if f["reason"] == why]
    count = sum(reason["count"] for reason in reasons)
    assert log.count("context") == 1
    if what == "memory":
        assert count > 3
    else:
        # Three failures are enough.
        assert count == 3, reasons
        assert len([line for line in log if line.startswith("launch")]) == 3, log


def test_ptx_that_the_driver_refuses(run):
    program, done, _ = run("ptx")
    assert not (found := difference(python(program), done)), found
    [nest] = nests_by_line(done.report, program)[3]
    assert any(mean.startswith("not on a grid: the GPU") for mean in nest["means"]), nest["means"]


def test_what_fires_on_the_card_runs_on_the_cpu(run):
    program, done, log = run("fires")
    assert not (found := difference(python(program), done)), found
    assert "sm_90" in log
    # Rows along y, columns along x, thirty-two neighbours each.
    assert "launch 2 7 1 of 32 8 1 for 0..50" in log, log


def test_without_a_driver(tmp_path):
    program = tmp_path / "scaled.py"
    program.write_text(SCRIPT)
    done = nestwise(program, "gpu", tmp_path)
    if done.code == 0:
        pytest.skip("there is a card")
    [line] = done.stderr.splitlines()
    assert line.startswith("nestwise: device gpu: ") and "NVIDIA" in line, line
