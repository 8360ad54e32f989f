"""Calls in expressions that change what is read beside them (effect_programs.py): a few seeds."""

import effect_programs
import pytest
from random_functions import FUNCTIONS


@pytest.mark.parametrize(
    "seed, device", [(1, "serial"), (2, "serial"), (3, "threads"), (4, "emulated")]
)
def test_operands_are_read_in_order(seed, device, tmp_path):
    found, compiled = effect_programs.SCRIPTS.differs(seed, tmp_path, device)
    assert not found, found
    assert compiled > FUNCTIONS // 3
