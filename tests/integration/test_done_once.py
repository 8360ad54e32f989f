"""Loops that only an exception or a signal ends, or that CPython has to take over again and again.

What an iteration does is done once, whatever ends the loop and however often it is tried
(runtime/src/undo.rs has the invariant); and attempts at native code that come to nothing cost at
most a share of CPython's time (tiering/src/losses.rs has the bound). The scripts of endings/ are
what people wrote; `make bench-endings` holds their times to the limits of a quiet machine.
"""

import time

import pytest
from differential import HERE, nestwise, python

ENDINGS = HERE / "endings"
RUNS = [
    *((path.stem, ()) for path in sorted(ENDINGS.glob("*.py"))),
    *(("pingpong", (which,)) for which in ("array", "attribute", "global")),
]

# What a program may take beside python, on a machine that other tests share.
FACTOR, SLACK_S = 1.5, 0.5
TRIES = 3
# The bound of losses.rs, and what one attempt may cost: a few chunks.
SHARE, ATTEMPT_S = 0.25, 0.3


def timed(run):
    begun = time.perf_counter()
    done = run()
    return done, time.perf_counter() - begun


def words(part):
    return part if isinstance(part, str) else "-".join(part)


@pytest.mark.parametrize(("name", "arguments"), RUNS, ids=words)
def test_ends_as_under_python(name, arguments, tmp_path):
    """The first run compiles, later ones find kernels on disk."""
    program, late = ENDINGS / f"{name}.py", []
    for _ in range(TRIES):
        expected, usual = timed(lambda: python(program, *arguments))
        got, took = timed(lambda: nestwise(program, "auto", tmp_path / "cache", *arguments))
        assert (got.code, got.stdout) == (expected.code, expected.stdout)
        late.append(took - FACTOR * usual)
    assert min(late) < SLACK_S


def run(name, tmp_path, **switches):
    return nestwise(ENDINGS / f"{name}.py", "serial", tmp_path / "cache", switches=switches)


PLANTED = [
    ("histogram_until_index_error", "undo-elements"),
    ("counted_until_a_warning", "undo-frame"),
    ("append_until_index_error", "stale-names"),
    ("histogram_until_index_error", "stale-names"),
]


@pytest.mark.parametrize(("name", "mistake"), PLANTED)
def test_a_planted_mistake_is_found(name, mistake, tmp_path):
    """Each of the three facts that done once rests on is broken once."""
    expected = python(ENDINGS / f"{name}.py")
    # What is done twice may be done for ever.
    program, cache = ENDINGS / f"{name}.py", tmp_path / "cache"
    got = nestwise(program, "serial", cache, switches={"NESTWISE_BREAK": mistake}, timeout=20)
    assert got.stdout != expected.stdout


@pytest.mark.parametrize("mistake", ["undo-elements", "undo-frame"])
def test_a_rollback_that_leaves_something_ends_the_process(mistake, tmp_path):
    name = {"undo-elements": "histogram_until_index_error"}.get(mistake, "counted_until_a_warning")
    got = run(name, tmp_path, NESTWISE_BREAK=mistake, NESTWISE_CHECK="undo")
    assert got.code == -6
    assert "a rollback left something" in got.stderr


def test_a_list_that_is_read_keeps_its_length(tmp_path):
    """What is appended is handed over between chunks, but not what the loop looks at again."""
    program = tmp_path / "length.py"
    program.write_text(
        "def f(n):\n"
        "    more, s = [], 0\n"
        "    for k in range(n):\n"
        "        more.append(k)\n"
        "        s += len(more) & 3\n"
        "        more.append(more[-1])\n"
        "    return s, len(more), more[-1]\n"
        "print(f(30), f(2_000_000))\n"
    )
    expected = python(program)
    for device in ("serial", "switch", "auto"):
        got = nestwise(program, device, tmp_path / "cache")
        assert (got.code, got.stdout) == (0, expected.stdout), device


TICKING = """
import signal

ticks = []
signal.signal(signal.SIGALRM, lambda *_: ticks.append(1))


def total(n):
    return sum((j * j + i) % 7 for i in range(4) for j in range(n))


def shared(n):
    sums = [0] * 4
    for i in range(4):
        s = 0
        for j in range(n):
            s += (j * j + i) % 7
        sums[i] = s
    return sums


n = 7 * 15_000_000
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
right = [n // 7 * sum((r * r + i) % 7 for r in range(7)) for i in range(4)]
print(total(n) == sum(right), len(ticks) > 0)
print(shared(n) == right)
# Python gives handlers up before it ends: a tick after that kills it, under python as well.
signal.setitimer(signal.ITIMER_REAL, 0)
"""


@pytest.mark.parametrize("device", ["auto", "serial", "threads"])
def test_handlers_that_return_cost_no_answer(device, tmp_path):
    """Iterations that are given up for a handler are tried again: CPython would take a minute."""
    program = tmp_path / "ticking.py"
    program.write_text(TICKING)
    got = nestwise(program, device, tmp_path / "cache", timeout=30)
    assert (got.code, got.stdout) == (0, "True True\nTrue\n")


@pytest.mark.parametrize("device", ["serial", "threads"])
def test_loops_forced_elsewhere_are_interrupted(device, tmp_path):
    """What threads share, and what is computed as a whole, is asked in, too."""
    program = ENDINGS / "latency_shared.py"
    got = nestwise(program, device, tmp_path / "cache")
    assert (got.code, got.stdout) == (0, python(program).stdout)


@pytest.mark.parametrize("name", ["append_until_index_error", "often_in_cpython", "consumer"])
def test_rollbacks_are_checked(name, tmp_path):
    got = run(name, tmp_path, NESTWISE_CHECK="undo")
    expected = python(ENDINGS / f"{name}.py")
    assert (got.code, got.stdout, got.stderr) == (0, expected.stdout, "")
    assert any(nest["stopped"] for nest in got.report["nests"])


def test_attempts_cost_a_share_of_cpythons_time(tmp_path):
    program, lost = ENDINGS / "often_in_cpython.py", 0.0
    for _ in range(2):
        got = nestwise(program, "auto", tmp_path / "cache")
        assert got.code == 0
        for nest in got.report["nests"]:
            assert (
                nest["lost_s"] <= SHARE * nest["interpreted_s"] + nest["calls"] * 0.01 + ATTEMPT_S
            )
            lost += nest["lost_s"]
    # Otherwise nothing was tried, and the bound is not tested.
    assert lost > 0.0
