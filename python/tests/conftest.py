import importlib.util
import os
import signal
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(os.path.dirname(HERE), "src")

# A shell that runs tests in the background has them ignore this, and every process that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

sys.path.insert(0, HERE)
if importlib.util.find_spec("nestwise") is None:
    sys.path.insert(0, SOURCE)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def fake():
    import fake_core

    return fake_core
