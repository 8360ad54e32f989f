"""Kernels made while CPython goes on: they come into use, and neither an exit nor a fork minds."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from differential import HERE, environment
from nestwise import _core

PROFILE = HERE / "filetests" / "run" / "profile.json"

HEAD = """\
import os
import sys
import time
import numpy as np


def work(a, b):
    for i in range(1, len(a) - 1):
        b[i] = (a[i - 1] + a[i] + a[i + 1]) * 0.25 + b[i] * 0.5


a, b = np.arange(100.0), np.zeros(100)


def until(seconds):
    begun = time.clock_gettime(time.CLOCK_MONOTONIC)
    while time.clock_gettime(time.CLOCK_MONOTONIC) - begun < seconds:
        work(a, b)


"""

pytestmark = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core")


def run(body, folder, **settings):
    """(exit code, output, the nest's line in the report)"""
    program, report = folder / "program.py", folder / "report.json"
    program.write_text(HEAD + body)
    report.unlink(missing_ok=True)
    env = environment(folder / "cache") | {
        "NESTWISE_PROFILE": str(PROFILE),
        "NESTWISE_REPORT": "json",
        "NESTWISE_REPORT_FILE": str(report),
        "NESTWISE_NO_CACHE": "1",
        **settings,
    }
    words = [sys.executable, "-m", "nestwise", "run", str(program)]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False, timeout=120)
    assert "Traceback" not in done.stderr, done.stderr
    nests = json.loads(report.read_text())["nests"] if report.exists() else []
    [nest] = [n for n in nests if n["line"] == 8] or [{}]
    return done.returncode, done.stdout, nest


def test_calls_go_on_until_the_kernel_is_there(tmp_path):
    code, _, nest = run("until(1.0)\n", tmp_path)
    assert code == 0
    # One, or another for the device that is tried besides.
    assert nest["kernels_compiled"] in (1, 2) and nest["launches"] > 1000
    # CPython ran while it was made. How often depends on the machine and on what else it does.
    assert nest["declined"] > 0


def test_a_long_call_is_taken_over_half_way(tmp_path):
    body = """
def long(n):
    s = 0
    k = 0
    while k < n:
        k += 1 + (s & 1)
        s = (s * 3 + k) % 1000003
    print(s)


long(3_000_000)
"""
    code, output, _ = run(body, tmp_path)
    again, expected, _ = run(body, tmp_path, NESTWISE_DEVICE="interpreter")
    assert code == again == 0 and output == expected
    found = json.loads((tmp_path / "report.json").read_text())
    assert found["options"]["device"] == "interpreter"


def test_without_it_the_caller_waits(tmp_path):
    code, _, nest = run("until(0.5)\n", tmp_path, NESTWISE_BACKGROUND="0")
    assert code == 0 and nest["kernels_compiled"] in (1, 2) and nest["launches"] > 100
    assert nest["declined"] == 0


@pytest.mark.parametrize("leave", ["", "os._exit(3)", "sys.exit(3)", "os.kill(os.getpid(), 15)"])
def test_who_ends_does_not_wait(leave, tmp_path):
    """At some of these moments the kernel is being made."""
    for milliseconds in range(2, 42, 5):
        code, _, _ = run(f"until({milliseconds / 1000})\n{leave}\n", tmp_path)
        assert code == {"": 0, "os.kill(os.getpid(), 15)": -15}.get(leave, 3), milliseconds


@pytest.mark.skipif(shutil.which("nm") is None, reason="no nm")
def test_the_library_registers_nothing_to_be_done_at_exit():
    """LLVM's global objects are not destroyed under the feet of threads that still use them."""
    words = ["nm", "-D", "--undefined-only", _core.__file__]
    imports = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert "__cxa_thread_atexit_impl" in imports
    assert "__cxa_atexit" not in imports


def test_a_fork_can_compile_at_any_moment(tmp_path):
    body = """
for k in range(2, 42, 4):
    until(k / 1000)
    child = os.fork()
    if child == 0:
        c = np.zeros(100)
        for i in range(len(c)):  # another nest, which the child has to compile
            c[i] = a[i] * 3.0
        until(0.2)
        os._exit(0 if c.sum() == a.sum() * 3.0 else 1)
    print(os.waitpid(child, 0)[1])
"""
    code, output, _ = run(body, tmp_path)
    assert code == 0 and output.split() == ["0"] * 10
