"""`--device gpu` where something is missing or fails: the answer is CPython's, and it is said why.

The driver is a pretended one: no kernel runs on it.
"""

import json

import ptx
import pytest
from differential import HERE, difference, nests_by_line, nestwise, python

FILETESTS = HERE / "filetests" / "run"

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


def pretended(driver, tmp_path, what, **more):
    """Switches for a pretended driver that does so and notes what it is asked for."""
    log = str(tmp_path / "log")
    return {"LD_LIBRARY_PATH": str(driver), "FAKE_CUDA": what, "FAKE_CUDA_LOG": log} | more


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
        switches = pretended(driver, tmp_path, what)
        done = nestwise(program, "gpu", tmp_path, switches=switches)
        log = tmp_path / "log"
        return program, done, log.read_text().splitlines() if log.exists() else []

    return run


# Long enough on a core for a card to be thought of.
LONG = """\
import math
import numpy as np
def roots(x, y):
    for i in range(len(x)):
        y[i] = math.sqrt(x[i]) / (1.0 + math.sqrt(x[i] + 1.0))
x, y = np.arange(1_000_000.0), np.zeros(1_000_000)
for k in list(range(3)):
    list(map(roots, [x], [y]))
print(y.sum())
"""


@pytest.mark.parametrize("byte, what, launches", [(1e-6, "", 1), (1e3, "", 0), (1e-6, "none", 0)])
def test_prices_choose_a_card_that_is_in_the_profile(driver, tmp_path, byte, what, launches):
    profile = json.loads((FILETESTS / "profile.json").read_text())
    gpu = json.loads((FILETESTS / "gpu.json").read_text())
    profile["gpu"] = gpu | {"context": 0.0, "module": 0.0}
    profile["gpu"] |= {way: {"copy": 0.0, "first": byte, "byte": byte} for way in ("up", "down")}
    profile["compile"] = dict.fromkeys(profile["compile"], 0.0)
    (tmp_path / "profile.json").write_text(json.dumps(profile))
    program = tmp_path / "roots.py"
    program.write_text(LONG)
    switches = pretended(driver, tmp_path, what, NESTWISE_PROFILE=str(tmp_path / "profile.json"))
    # Nor is this about what stands in while kernels are made.
    switches["NESTWISE_BACKGROUND"] = "0"
    done = nestwise(program, "auto", tmp_path / "cache", switches=switches)
    assert not (found := difference(python(program), done)), found
    log = tmp_path / "log"
    asked = log.read_text().splitlines() if log.exists() else []
    # Something fires in all that runs on this card: it is tried once.
    assert sum(line.startswith("launch") for line in asked) == launches
    assert bool(asked) == bool(launches)
    [nest] = nests_by_line(done.report, program)[4]
    assert nest["launches"] >= 2 and ("gpu" in nest["device"]) == bool(launches)


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
    # Rows along y, columns along x, thirty-two neighbours each: blocks for all processors.
    assert "launch 2 25 1 of 32 2 1 for 0..50" in log, log


@pytest.mark.parametrize(
    "registers, launch", [(32, "16 100 1 of 32 4 1"), (200, "16 200 1 of 32 2 1")]
)
def test_blocks_are_as_large_as_registers_leave_room_for(driver, tmp_path, registers, launch):
    program = tmp_path / "scaled.py"
    program.write_text(SCRIPT.replace("3000", "200000").replace("50, 60", "400, 500"))
    switches = pretended(driver, tmp_path, "idle", FAKE_CUDA_REGISTERS=str(registers))
    nestwise(program, "gpu", tmp_path, switches=switches)
    assert f"launch {launch} for 0..400" in (tmp_path / "log").read_text()


# More than goes up or comes down at once, of arrays that the host changes in between.
LARGE = """\
import zlib
import numpy as np
def add(x, y):
    for i in range(len(x)):
        y[i] = y[i] + x[i]
for n in (4_000_000, 70_001, 3_333_333, 100):
    x, y = np.arange(float(n)), np.sqrt(np.arange(float(n)))
    add(x, y)
    print(n, zlib.crc32(y), zlib.crc32(x))
"""


@pytest.mark.parametrize("what", ["idle", "pinned"])
def test_what_goes_up_comes_down(driver, tmp_path, what):
    program = tmp_path / "added.py"
    program.write_text(LARGE)
    switches = pretended(driver, tmp_path, what)
    done = nestwise(program, "gpu", tmp_path / "cache", switches=switches)
    assert done.code == 0, done.stderr
    log = (tmp_path / "log").read_text().splitlines()
    if what == "pinned":
        # Too little of such memory: the driver's own way does, and what fires runs on the CPU.
        assert not (found := difference(python(program), done)), found
        assert log.count("up") >= 8 and "up, pinned" not in log and "no event" in log
        return
    # No kernel runs: arrays come back as they went, in pieces of which each waits for its turn.
    program.write_text(LARGE.replace("    add(x, y)\n", ""))
    assert done.stdout == python(program).stdout
    # Of 4 MiB each: 8 + 8, 1 + 1 and 7 + 7; what is small goes up from pinned memory, too.
    assert log.count("up, pinned") == 32 + 2 and log.count("down, pinned") == 16 + 1
    assert log.count("up") == 0
    [nest] = nests_by_line(done.report, program)[4]
    assert (nest["transfers"]["up"], nest["transfers"]["down"]) == (8, 4)


# A small nest, again and again.
SMALL = """\
import numpy as np
def scaled(x, y):
    for i in range(len(x)):
        y[i] = x[i] * 2.0
x, y = np.arange(1000.0), np.zeros(1000)
scaled(x, y)
scaled(x, y)
scaled(x, y)
"""


def test_a_small_nest_asks_the_driver_for_little(driver, tmp_path):
    program = tmp_path / "small.py"
    program.write_text(SMALL)
    switches = pretended(driver, tmp_path, "idle")
    nestwise(program, "gpu", tmp_path / "cache", switches=switches)
    log = (tmp_path / "log").read_text().splitlines()
    first, second, third = (k for k, line in enumerate(log) if line.startswith("launch"))
    # Memory and streams are there from the first time on, what comes down is waited for with the
    # kernel, and no stream waits for another. The clock that the report wants is two events.
    again = ["down, pinned", "record", "wait", "up, pinned", "up, pinned", "record"]
    for last, here in ((first, second), (second, third)):
        assert [w for w in log[last + 1 : here] if not w.startswith("stream")] == again


# Two halves that have nothing to do with each other, and what needs both.
HALVES = """\
import numpy as np
def both(a, b, c, d, e, steps):
    for t in range(steps):
        for i in range(len(a)):
            b[i] = a[i] * 2.0
        for i in range(len(c)):
            d[i] = c[i] * 3.0
        for i in range(len(b)):
            e[i] = b[i] + d[i]
a, c = np.arange(100_000.0), np.sqrt(np.arange(100_000.0))
b, d, e = np.zeros_like(a), np.zeros_like(a), np.zeros_like(a)
both(a, b, c, d, e, 3)
print(e.sum())
"""


def test_kernels_that_have_nothing_in_common_are_on_streams_of_their_own(driver, tmp_path):
    program = tmp_path / "halves.py"
    program.write_text(HALVES)
    # As it was written: not three loops in one.
    switches = pretended(driver, tmp_path, "idle", NESTWISE_SCHEDULE="written")
    nestwise(program, "gpu", tmp_path / "cache", switches=switches)
    log = (tmp_path / "log").read_text().splitlines()
    streams = [line for line in log if line.startswith("stream")]
    assert len(streams) == 9
    assert all(first != second for first, second in zip(streams[::3], streams[1::3], strict=True))
    # The second kernel's arrays come up when the first one is under way.
    launches = [k for k, line in enumerate(log) if line.startswith("launch")]
    ups = [k for k, line in enumerate(log) if line.startswith("up")]
    assert any(launches[0] < k < launches[1] for k in ups)
    assert any(launches[1] < k < launches[2] for k in ups)
    assert all(k < launches[2] for k in ups)


def test_without_a_driver(tmp_path):
    program = tmp_path / "scaled.py"
    program.write_text(SCRIPT)
    done = nestwise(program, "gpu", tmp_path)
    if done.code == 0:
        pytest.skip("there is a card")
    [line] = done.stderr.splitlines()
    assert line.startswith("nestwise: device gpu: ") and "NVIDIA" in line, line


STEPS = """\
import numpy as np
def steps(u, v, n):
    for t in range(n):
        for i in range(1, len(u) - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1])
        u, v = v, u
    return u
print(steps(np.arange(2000.0) % 7, np.zeros(2000), 30).sum())
"""


@pytest.mark.parametrize("what, cooperative", [("fires", "1"), ("small", "1"), ("fires", "0")])
def test_a_loop_is_launched_with_all_of_its_blocks_at_once(driver, tmp_path, what, cooperative):
    program = tmp_path / "steps.py"
    program.write_text(STEPS)
    switches = pretended(driver, tmp_path, what, NESTWISE_COOPERATIVE=cooperative)
    done = nestwise(program, "gpu", tmp_path, switches=switches)
    assert not (found := difference(python(program), done)), found
    log = (tmp_path / "log").read_text().splitlines()
    assert ("together" in log) == (cooperative == "1")
    # Blocks of 256 threads, no more of them than the loop inside has iterations for.
    whole = [line for line in log if line.startswith("launch 8 1 1 of 256 1 1 for 0..30")]
    assert bool(whole) == ("together" in log and what == "fires")
    nests = [n for found in nests_by_line(done.report, program).values() for n in found]
    why = " ".join(f["reason"] for nest in nests for f in nest["fallbacks"])
    assert what == "fires" or "some error" in why, why
