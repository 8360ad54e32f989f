"""Operations on whole arrays (array_programs.py): a few seeds."""

import array_programs
import pytest
from random_functions import FUNCTIONS


@pytest.mark.parametrize(
    "seed, device", [(1, "serial"), (2, "serial"), (3, "threads"), (4, "emulated")]
)
def test_operations_on_arrays_are_numpys(seed, device, tmp_path):
    found, compiled = array_programs.SCRIPTS.differs(seed, tmp_path, device)
    assert not found, found
    assert compiled > FUNCTIONS // 3
