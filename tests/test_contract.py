"""docs/user/contract.md names tests for every clause of every rule, and they are there."""

import ast
import re

import pytest
from differential import (
    ROOT,
    difference,
    every_program,
    fallbacks,
    marks,
    nests_by_line,
    nestwise,
    python,
)

RULES = range(1, 26)
_HEADING = re.compile(r"^## (\d+)\. ")
_TEST = re.compile(r"`([\w/]+\.py)(?:::(\w+))?`")


def clauses():
    """(rule, clause, its text up to the colon before the tests, [(file, function or None)])."""
    rule = 0
    for line in (ROOT / "docs" / "user" / "contract.md").read_text(encoding="utf-8").splitlines():
        heading = _HEADING.match(line)
        rule = int(heading[1]) if heading else rule
        if rule and line.startswith("- "):
            text, _, tests = line[2:].rpartition(": ")
            yield rule, text, [(m[1], m[2] or None) for m in _TEST.finditer(tests)]


CLAUSES = list(clauses())


def test_every_rule_has_tests():
    assert {rule for rule, _, _ in CLAUSES} == set(RULES)
    headings = (ROOT / "docs" / "user" / "contract.md").read_text(encoding="utf-8")
    assert [int(n) for n in re.findall(r"^## (\d+)\. ", headings, re.M)] == list(RULES)


@pytest.mark.parametrize("rule, text, tests", CLAUSES, ids=lambda v: str(v)[:40])
def test_tests_are_there(rule, text, tests):
    assert text and tests, "names no test"
    for file, function in tests:
        if function is not None:
            tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
            names = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
            assert function in names, f"{file} has no {function}"
            continue
        script = next((path for path in every_program() if path.name == file), None)
        assert script is not None, f"there is no {file}"
        assert any(marks(script)), f"no loop of {file} is marked"


FUTILE = """
import numpy as np


def stored(a, value):
    for i in range(len(a)):
        a[i] = value * i + 1000
    return a


for k in range(100):
    try:
        stored(np.zeros(3_000_000, dtype=np.int8), k)
    except OverflowError as error:
        text = str(error)
print(text, stored(np.zeros(30_000), 2.5)[-1])
"""

SIGNATURES = """
import numpy as np


def total(a, s):
    for x in a:
        s = s + x
    return s


starts = [0, 0.5, np.float32(1), np.int8(2), np.uint16(3), 1j]
kinds = ["int8", "int16", "int32", "int64", "uint8", "float32", "float64"]
print(*[total(np.arange(9).astype(k), s) for k in kinds for s in starts])
"""


def codes_at(line, done, program):
    assert done.code == 0, done.stderr
    (nest,) = nests_by_line(done.report, program)[line]
    return {f["code"]: f["count"] for f in nest["fallbacks"]}, nest


def test_a_guard_that_fails_again_and_again_switches_the_site_off(tmp_path):
    program = tmp_path / "futile.py"
    program.write_text(FUTILE, encoding="utf-8")
    # Beside CPython no kernel would be made before all is over.
    switches = {"NESTWISE_BACKGROUND": "0"}
    done = nestwise(program, "auto", tmp_path / "cache", switches=switches)
    assert not difference(python(program), done)
    codes, nest = codes_at(6, done, program)
    assert codes.get("guard-failure", 0) >= 1, fallbacks(done, program)
    # Most further calls are left to CPython: attempts may cost no more than a share of its time.
    assert codes.get("futile", 0) > 5, fallbacks(done, program)
    assert nest["launches"] < 40, fallbacks(done, program)
    # A device that was asked for is not second-guessed.
    codes, nest = codes_at(6, nestwise(program, "serial", tmp_path / "cache"), program)
    assert "futile" not in codes
    assert nest["launches"] > 100


def test_a_site_with_ever_new_types_says_so(tmp_path):
    program = tmp_path / "signatures.py"
    program.write_text(SIGNATURES, encoding="utf-8")
    done = nestwise(program, "serial", tmp_path / "cache")
    assert not difference(python(program), done)
    codes, nest = codes_at(6, done, program)
    assert codes.get("signatures", 0) > 10, fallbacks(done, program)
    assert nest["launches"] > 5


OLD_NUMPY = """
__version__ = "1.26.4"


class ndarray(list):
    pass


float64 = complex128 = float
"""

ON_OLD_NUMPY = """
import numpy


def total(a):
    s = 0
    for x in a:
        s += x
    return s


print(total(numpy.ndarray([1, 2])), total([1, 2]))
"""


def test_an_old_numpy_is_refused_by_name(tmp_path):
    (tmp_path / "numpy.py").write_text(OLD_NUMPY, encoding="utf-8")
    program = tmp_path / "on_old_numpy.py"
    program.write_text(ON_OLD_NUMPY, encoding="utf-8")
    done = nestwise(program, "serial", tmp_path / "cache")
    assert not difference(python(program), done)
    _, nest = codes_at(7, done, program)
    assert nest["launches"] == 1
    assert "a is a numpy.ndarray of a NumPy before 2.0" in fallbacks(done, program)
