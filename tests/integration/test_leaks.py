"""Memory and references stay as they are over many calls (leaks.py; `make robust` makes more)."""

import json
import subprocess
import sys

import pytest
from differential import HERE, environment

LEAKS = HERE / "leaks.py"
CALLS = 6000
# What may be there once: caches that fill up, a few objects of whoever measures.
MOST = {"blocks": 450, "malloc": 100_000, "resident": 2 << 20, "references": 0, "objects": 30}
# Classes that were looked at are kept, up to a number; on a busy machine a kernel may come late.
KEPT = {
    "new_classes": {"blocks": 6000, "malloc": 1 << 20, "references": 1500, "objects": 1500},
    "new_types": {"malloc": 500_000},
    # A call that was made ready to be made again holds the class of its object.
    "objects": {"references": 1},
}


@pytest.mark.parametrize("device", ["auto", "serial"])
def test_memory_is_flat(device, tmp_path):
    words = [sys.executable, str(LEAKS), "--calls", str(CALLS)]
    env = environment(tmp_path) | {"NESTWISE_DEVICE": device}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *found, report = map(json.loads, done.stdout.splitlines())
    assert len(found) >= 20
    for scenario in found:
        most = MOST | KEPT.get(scenario["scenario"], {})
        grown = {name: scenario[name] for name in most if scenario[name] > most[name]}
        assert not grown, scenario
    # A leak would be one per call: far more than what is allowed.
    assert MOST["blocks"] < CALLS / 10
    assert report["launches"] > CALLS and not report["panics"]


ANEW = """\
import nestwise


def made():
    @nestwise.jit
    def summed(n):
        s = 0
        for i in range(n):
            s += i * 3
        return s

    return summed


kept = made()
for n in range(1, 31):
    assert made()(100 * n) == kept(100 * n) == 150 * n * (100 * n - 1)
[nest] = nestwise.report()["nests"]
print(nest["line"], nest["calls"], nest["launches"], nest["iterations"])
"""


def test_a_site_that_is_gone_stays_in_the_report(tmp_path):
    script = tmp_path / "anew.py"
    script.write_text(ANEW)
    env = environment(tmp_path) | {"NESTWISE_DEVICE": "serial"}
    words = [sys.executable, str(script)]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"8 60 60 {2 * 100 * sum(range(31))}\n", "")
