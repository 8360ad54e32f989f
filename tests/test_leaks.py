"""Memory and references stay as they are over many calls (leaks.py; `make robust` makes more)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from differential import environment

LEAKS = Path(__file__).with_name("leaks.py")
CALLS = 6000
# What may be there once: caches that fill up, a few objects of whoever measures.
MOST = {"blocks": 300, "malloc": 100_000, "resident": 2 << 20, "references": 0, "objects": 30}
# Classes that were looked at are kept, up to a number.
KEPT = {"new_classes": {"blocks": 6000, "malloc": 1 << 20, "references": 1500, "objects": 1500}}


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
