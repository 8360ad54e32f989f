"""Tests of what is known not to hold yet: they run, and may fail (tests/known_differences.txt)."""

from pathlib import Path

import pytest

KNOWN = Path(__file__).parent / "tests" / "known_differences.txt"


def pytest_collection_modifyitems(items):
    lines = (line.split("#")[0].strip() for line in KNOWN.read_text().splitlines())
    known = [line for line in lines if line]
    for item in items:
        if any(pattern in item.nodeid for pattern in known):
            item.add_marker(pytest.mark.xfail(reason="known difference", strict=False))
