"""Decisions that a wrong profile would get wrong are put right by what launches take."""

import json
import os
import subprocess
import sys

import pytest
from differential import HERE, environment

PROFILE = HERE / "filetests" / "run" / "profile.json"

# One call takes a core some microseconds, far less than starting threads does.
SMALL = """\
import numpy as np
def scale(a, b):
    for i in range(len(a)):
        b[i] = a[i] * 0.5 + b[i]
a, b = np.arange(14000.0), np.zeros(14000)
list(map(scale, [a] * 100_000, [b] * 100_000))
print(b.sum())
"""

# One call takes a core some tenths of a millisecond, many times as long as starting threads does.
LARGE = """\
import numpy as np
def iterate(a):
    for i in range(len(a)):
        x = a[i]
        for k in range(200):
            x = x * 0.999 + 0.001
        a[i] = x
a = np.arange(25_000.0)
list(map(iterate, [a] * 2000))
print(a.sum())
"""

# One call takes a core most of a second.
ONCE = """\
import numpy as np
def iterate(a):
    for i in range(len(a)):
        x = a[i]
        for k in range(16000):
            x = x * 0.999 + 0.001
        a[i] = x
a = np.arange(1_000_000.0)
iterate(a)
print(a.sum())
"""

pytestmark = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core")


def threaded(source, threads, learning, tmp_path):
    """(output, launches, those on threads) with a profile whose weights of threads are replaced."""
    profile = json.loads(PROFILE.read_text())
    profile["threads"] |= threads
    output, nest = ran(source, profile, learning, tmp_path)
    return output, nest["launches"], nest["threaded_launches"]


def ran(source, profile, learning, tmp_path, switches=None):
    """(output, the report's line of the loop) with that profile."""
    # Calls come seldom where each takes a while: threads are not to be thought asleep. Nor is this
    # about what launches on threads have looked at.
    profile["cold"]["fork_join"] = profile["cold"]["full"] = profile["call"]["full"] = 0.0
    wrong = tmp_path / "profile.json"
    wrong.write_text(json.dumps(profile))
    program = tmp_path / "program.py"
    program.write_text(source)
    report = tmp_path / "report.json"
    env = (
        environment(tmp_path / "cache")
        | (switches or {})
        | {
            "NESTWISE_PROFILE": str(wrong),
            "NESTWISE_LEARNING": learning,
            "NESTWISE_REPORT": "json",
            "NESTWISE_REPORT_FILE": str(report),
        }
    )
    words = [sys.executable, "-m", "nestwise", "run", str(program)]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr
    [nest] = [n for n in json.loads(report.read_text())["nests"] if n["line"] == 3]
    return done.stdout, nest


def test_threads_that_cost_more_than_was_thought_are_left(tmp_path):
    free = {"fork_join": 1.0, "thread": 1.0, "compute": 1.0, "latency": 1.0, "memory": 1.0}
    output, launches, before = threaded(SMALL, free, "0", tmp_path)
    assert before > 0.5 * launches > 1900, (launches, before)
    again, launches, after = threaded(SMALL, free, "1", tmp_path)
    assert again == output
    assert after < 0.5 * before, (launches, before, after)


def scaled(weights, factor):
    if isinstance(weights, dict):
        return {name: scaled(weight, factor) for name, weight in weights.items()}
    return weights * factor


def test_threads_that_looked_too_dear_are_tried(tmp_path):
    profile = json.loads(PROFILE.read_text())
    profile["threads"]["fork_join"] = 3e6
    output, alone = ran(LARGE, profile, "0", tmp_path)
    # Half of the work is what threads cost, and half of it is what they leave: how long it takes
    # depends on the machine, of which the profile is to be.
    for kind in ("scalar", "vector", "latency", "issue", "entry"):
        weights = profile["host"][kind]
        profile["host"][kind] = scaled(weights, alone["measured_s"] / alone["predicted_s"])
    profile["threads"]["fork_join"] = 0.5e9 * alone["measured_s"] / alone["launches"]
    _, before = ran(LARGE, profile, "0", tmp_path)
    assert before["threaded_launches"] == 0 and before["launches"] > 1900
    again, after = ran(LARGE, profile, "1", tmp_path)
    assert again == output
    assert 0 < after["threaded_launches"], after


def test_a_launch_that_takes_longer_than_was_thought_goes_on_on_threads(tmp_path):
    profile = json.loads(PROFILE.read_text())
    profile["threads"]["fork_join"] = 6e7
    for kind in ("scalar", "vector", "latency", "issue", "entry"):
        profile["host"][kind] = scaled(profile["host"][kind], 0.02)
    output, before = ran(ONCE, profile, "0", tmp_path)
    assert before["device"] == "serial" and "changed device" not in before["means"]
    again, after = ran(ONCE, profile, "1", tmp_path)
    assert again == output
    assert after["means"].get("changed device") == 1 and after["threaded_launches"] == 1


# Calls fill memory that nobody has touched, and then that which the first call has.
FILLED = """\
import math, mmap, numpy as np
def fill(a):
    for i in range(len(a)):
        a[i] = math.sqrt(1.0 + i) / (1.0 + i)
def untouched():
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    return np.frombuffer(mmap.mmap(-1, 8_000_000, flags=private))
again = untouched()
list(map(fill, ({array} for _ in range(20))))
print(again.sum())
"""


@pytest.mark.parametrize(("array", "threads"), [("untouched()", 0), ("again", 19)])
def test_memory_that_nobody_has_touched_is_priced(array, threads, tmp_path):
    profile = json.loads(PROFILE.read_text())
    # Nothing is gained by threads where pages are what takes time.
    profile["pages"] = {"small": 1e6, "large": 1e6}
    profile["threads"] |= {"fork_join": 1.0, "thread": 1.0, "pages": 1e-6}
    profile["threads"] |= {"compute": 1.0, "latency": 1.0, "memory": 1.0}
    # Compiling is not what this is about, nor which kernel is there first.
    profile["compile"] = dict.fromkeys(profile["compile"], 0.0)
    alone = {"NESTWISE_BACKGROUND": "0"}
    _, nest = ran(FILLED.format(array=array), profile, "0", tmp_path, alone)
    assert nest["launches"] == 20 and nest["threaded_launches"] == threads, nest
