"""Tuples under names, and functions handed on (state_programs.py): a few seeds."""

import pytest
import state_programs
from random_functions import FUNCTIONS


@pytest.mark.parametrize("seed, device", [(1, "serial"), (2, "serial"), (3, "threads")])
def test_tuples_and_functions_are_pythons(seed, device, tmp_path):
    found, compiled = state_programs.SCRIPTS.differs(seed, tmp_path, device)
    assert not found, found
    assert compiled > FUNCTIONS // 3
