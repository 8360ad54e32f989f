"""Fixtures of the differential tests: a cache folder of their own and processes run ahead."""

import importlib.util
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from differential import Runs  # noqa: E402


def pytest_addoption(parser):
    parser.addoption(
        "--every-device",
        action="store_true",
        help="scripts of programs/ under every device and count of threads, not a choice of them",
    )


@pytest.fixture(scope="session")
def runs(request, tmp_path_factory):
    """Every process that the selected tests will ask for, in their order, two at a time."""
    if importlib.util.find_spec("nestwise") is None:
        pytest.fail("nestwise is not installed here: `make build` first", pytrace=False)
    runs = Runs(tmp_path_factory.mktemp("cache"))
    for item in request.session.items:
        callspec = getattr(item, "callspec", None)
        if callspec is not None and "run" in callspec.params:
            for process in callspec.params["run"].processes():
                runs.start(*process)
    yield runs
    runs.close()
