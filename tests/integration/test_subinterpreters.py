"""Loops of subinterpreters are CPython's; the main one's stay native beside them."""

import subprocess
import sys

import pytest
from differential import environment

INTERPRETERS = """\
import sys
try:
    import _interpreters as interpreters
    KINDS = [{"config": "isolated"}, {"config": "legacy"}]
except ImportError:
    import _xxsubinterpreters as interpreters
    KINDS = [{"isolated": True}, {"isolated": False}]


def run(kind, text):
    failed = interpreters.run_string(interpreters.create(**kind), text)
    assert failed is None, failed
"""
MODULE = """\
def f(n):
    s = 0
    for i in range(n):
        s += i * i % 7
    return s
"""
# {begin} handles the module's loops, in whatever way.
INSIDE = """\
import json, sys
sys.path[:0] = {path!r}
import nestwise
{begin}
print("inside", summed.f(50_000), summed.f(50_000), flush=True)
found = nestwise.report()
print(json.dumps([found["nests"], found["notes"]]), flush=True)
"""
WAYS = {
    "jit": "import summed; assert nestwise.jit(summed.f) is summed.f",
    "imported": "nestwise.enable(); import summed",
}
RESULT = sum(i * i % 7 for i in range(50_000))
NOTE = "this is a subinterpreter: its loops stay in CPython"
ALONE = """
for kind in KINDS:
    run(kind, INSIDE)
"""
# The main interpreter's loops run before, beside and after those of the other one.
BESIDE = """
import threading
import nestwise, summed
nestwise.jit(summed.f)
print("main", summed.f(50_000), flush=True)
for kind in KINDS:
    other = threading.Thread(target=run, args=(kind, INSIDE))
    other.start()
    while other.is_alive():
        assert summed.f(50_000) == RESULT
    other.join()
print("main", summed.f(50_000), flush=True)
assert nestwise.report()["nests"][0]["launches"] > 2
"""


@pytest.fixture
def outcome(tmp_path):
    """What a script around {ALONE, BESIDE} prints; it must end, and say nothing else."""
    pytest.importorskip("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")
    (tmp_path / "summed.py").write_text(MODULE)

    def run(text, begin):
        path = [str(tmp_path), *sys.path]
        inside = INSIDE.format(path=path, begin=begin)
        script = tmp_path / "script.py"
        given = f"INSIDE = {inside!r}\nRESULT = {RESULT}\nsys.path[:0] = {path!r}\n"
        script.write_text(INTERPRETERS + given + text)
        env = {**environment(tmp_path / "cache"), "NESTWISE_DEVICE": "serial"}
        done = subprocess.run(
            [sys.executable, script], env=env, capture_output=True, text=True, timeout=30
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    return run


@pytest.mark.parametrize("way", WAYS)
def test_loops_of_a_subinterpreter_are_cpythons(way, outcome):
    lines = outcome(ALONE, WAYS[way])
    assert lines == [f"inside {RESULT} {RESULT}", f'[[], ["{NOTE}"]]'] * 2


@pytest.mark.parametrize("way", WAYS)
def test_the_main_interpreters_stay_native_beside_them(way, outcome):
    lines = outcome(BESIDE, WAYS[way])
    inside = [f"inside {RESULT} {RESULT}", f'[[], ["{NOTE}"]]'] * 2
    assert lines == [f"main {RESULT}", *inside, f"main {RESULT}"]


def test_a_module_left_alone_there_is_handled_by_the_next_process(outcome):
    outcome(ALONE, WAYS["imported"])
    nests = "print(nestwise.report()['nests'][0]['launches'])"
    lines = outcome(f"import nestwise\n{WAYS['imported']}\nsummed.f(50_000)\n{nests}", "")
    assert lines == ["1"]
