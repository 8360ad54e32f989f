"""No kernel touches anything beside its arrays: a few scripts, chosen for how subscripts are made.

`make robust` has all scripts (guard_pages.py).
"""

import subprocess
import sys

import guarded
import pytest
from differential import program_named
from guard_pages import GUARDED, Run, outcome

SOME = (
    "array_algorithms",
    "bounds",
    "float_indices",
    "index_arrays",
    "lanes",
    "loop_ends",
    "neighbours",
    "offsets",
    "parallel",
    "read_before_written",
    "strides",
    "taken_back",
)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return guarded.build(tmp_path_factory.mktemp("library"))


@pytest.mark.parametrize("end", ["end", "start"])
@pytest.mark.parametrize("name", SOME)
def test_nothing_outside_is_touched(name, end, library, tmp_path):
    device = "threads" if SOME.index(name) % 2 else "serial"
    wrong, launches = outcome(Run(program_named(name), device, end), library, tmp_path)
    assert not wrong
    assert launches > 0


OUTSIDE = """\
import ctypes
import numpy as np
a = np.ones(1000)
at = ctypes.cast(a.ctypes.data, ctypes.POINTER(ctypes.c_double))
print(at[999], at[0], flush=True)
print(at[{index}])
"""


@pytest.mark.parametrize(("end", "index"), [("end", 1000), ("start", -1)])
def test_the_pages_are_forbidden(end, index, library, tmp_path):
    program = tmp_path / "outside.py"
    program.write_text(OUTSIDE.format(index=index))
    words = [sys.executable, str(GUARDED), end, str(library), "run", str(program)]
    done = subprocess.run(words, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (-11, b"1.0 1.0\n")
