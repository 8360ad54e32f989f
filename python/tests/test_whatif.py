"""`nestwise whatif`: a recorded run priced for machines that are not here."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FIXED = Path(__file__).parents[2] / "tests" / "filetests" / "run" / "profile.json"

# The first nest is called often and does little, the second once and does much that may be shared.
SCRIPT = """\
import sys
import numpy as np

def add(a, b):
    for i in range(len(a)):
        b[i] = b[i] + a[i]

def iterate(a, n):
    for i in range(len(a)):
        x = a[i]
        for k in range(n):
            x = x * 0.999 + 0.001
        a[i] = x

a, b = np.arange(40.0), np.zeros(40)
list(map(add, [a] * 3000, [b] * 3000))
c = np.arange(20_000.0)
iterate(c, 100)
print(b.sum(), c.sum())
sys.exit(3)
"""


def command(*words, env=()):
    words = [sys.executable, "-m", "nestwise", "whatif", *map(str, words)]
    env = os.environ | {"NESTWISE_PROFILE": str(FIXED)} | dict(env)
    return subprocess.run(words, capture_output=True, text=True, check=False, env=env)


def machine(folder, name, cores, **changes):
    """A profile like the fixed one but for `changes`, by section."""
    profile = json.loads(FIXED.read_text())
    profile["name"] = name
    profile["machine"] = {
        "cpu": "made up",
        "cores": cores,
        "smt": False,
        "numa_nodes": 1,
        "caches": [32768, 1048576],
        "python": "3.11.7",
        "numpy": None,
        "card": None,
        "driver": None,
        "date": "2026-11-22",
    }
    for section, change in changes.items():
        profile[section] = change(profile[section])
    path = folder / f"{name}.json"
    path.write_text(json.dumps(profile))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whatif")
    (folder / "script.py").write_text(SCRIPT)
    return folder


@pytest.fixture(scope="module")
def machines(folder):
    return [
        machine(folder, "one", 1),
        machine(folder, "many", 64),
        machine(folder, "far", 64, threads=lambda t: t | {"fork_join": 5e8}),
        machine(folder, "quick", 1, interpreter=lambda w: {k: v / 1e4 for k, v in w.items()}),
    ]


@pytest.fixture(scope="module")
def recorded(folder, machines):
    """(the run, the answers by profile)"""
    names = ",".join(map(str, machines))
    kept = folder / "run.json"
    done = command("--profile", names, "--record", kept, "--json", folder / "script.py")
    first, told = done.stdout.split("\n", 1)
    return done, first, kept, json.loads(told)


def calls(answer, line):
    [nest] = [n["replay"]["calls"] for n in answer["nests"] if n["line"] == line]
    return nest


def test_the_program_runs_as_it_is(recorded, folder):
    done, printed, _, _ = recorded
    plain = subprocess.run(
        [sys.executable, folder / "script.py"], capture_output=True, text=True, check=False
    )
    assert printed + "\n" == plain.stdout
    assert done.returncode == plain.returncode == 3
    assert not done.stderr


def test_cores_and_what_starting_them_costs_decide_on_threads(recorded, machines):
    _, _, _, answers = recorded
    one, many, far, _ = (answers[str(m)] for m in machines)
    nothing = {"interpreter": 0, "serial": 0, "threads": 0, "gpu": 0}
    assert (one["cores"], many["cores"]) == (1, 64)
    assert calls(one, 9) == calls(far, 9) == nothing | {"serial": 1}
    assert calls(many, 9) == nothing | {"threads": 1}
    # 40 elements are for nobody's threads.
    assert calls(many, 5)["threads"] == 0


def test_a_quick_interpreter_keeps_everything(recorded, machines):
    _, _, _, answers = recorded
    assert calls(answers[str(machines[3])], 5)["interpreter"] == 3000
    assert calls(answers[str(machines[0])], 5)["interpreter"] < 3000


def test_what_was_kept_answers_as_the_run_did(recorded, machines):
    _, _, kept, answers = recorded
    names = ",".join(map(str, machines))
    again = command("--profile", names, "--from", kept, "--json")
    assert again.returncode == 0 and not again.stderr
    assert json.loads(again.stdout) == answers
    fewer = command("--profile", machines[1], "--cores", 1, "--from", kept, "--json")
    assert calls(json.loads(fewer.stdout)[str(machines[1])], 9)["serial"] == 1
    told = command("--profile", machines[1], "--from", kept).stdout
    assert "script.py:5: 3000 calls" in told and "script.py:9: 1 call\n" in told
    assert "64 cores" in told and "threads 1" in told


def test_bad_command_lines_and_files_are_told(folder, machines, tmp_path):
    def refused(*words):
        done = command(*words)
        assert done.returncode == 2 and not done.stdout and "Traceback" not in done.stderr
        return done.stderr

    profile = machines[0]
    assert "--profile" in refused(folder / "script.py")
    assert "script is missing" in refused("--profile", profile)
    assert "cannot read" in refused("--profile", tmp_path / "none.json", "--from", profile)
    assert "no version" not in refused("--profile", profile, "--from", tmp_path / "none.json")
    assert "is no recording" in refused("--profile", profile, "--from", profile)
    assert "--cores" in refused("--profile", profile, "--cores", "x", "--from", profile)
    assert "nothing is run" in refused("--profile", profile, "--from", "r", "script.py")
    torn = tmp_path / "torn.json"
    torn.write_text('{"version": 1, "nests": [')
    assert "torn.json" in refused("--profile", profile, "--from", torn)
    bad = tmp_path / "bad.json"
    bad.write_text(FIXED.read_text().replace('"load": 1.8', '"load": -1.8', 1))
    assert "load" in refused("--profile", bad, "--from", torn)
    assert "is a folder" in refused("--profile", profile, "--record", tmp_path, "script.py")
