"""docs/contract.md names tests for every clause of every rule, and they are there."""

import ast
import re

import pytest
from differential import PROGRAMS, ROOT, fallbacks, marks, nests_by_line, nestwise

RULES = range(1, 26)
_HEADING = re.compile(r"^## (\d+)\. ")
_TEST = re.compile(r"`([\w/]+\.py)(?:::(\w+))?`")


def clauses():
    """(rule, clause, its text up to the colon before the tests, [(file, function or None)])."""
    rule = 0
    for line in (ROOT / "docs" / "contract.md").read_text(encoding="utf-8").splitlines():
        heading = _HEADING.match(line)
        rule = int(heading[1]) if heading else rule
        if rule and line.startswith("- "):
            text, _, tests = line[2:].rpartition(": ")
            yield rule, text, [(m[1], m[2] or None) for m in _TEST.finditer(tests)]


CLAUSES = list(clauses())


def test_every_rule_has_tests():
    assert {rule for rule, _, _ in CLAUSES} == set(RULES)
    headings = (ROOT / "docs" / "contract.md").read_text(encoding="utf-8")
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
        program = PROGRAMS / file
        assert program.exists(), f"there is no {file}"
        assert any(marks(program)), f"no loop of {file} is marked"


OFF = """
import numpy as np


def stored(a, value):
    for i in range(len(a)):
        a[i] = value
    return a


for _ in range(6):
    stored(np.zeros(2, dtype=object), 1)
print(stored(np.zeros(2), 1.5))
for k in range(20):
    try:
        stored(np.zeros(40, dtype=np.int8), 1000 + k)
    except OverflowError as error:
        print(error)
print(stored(np.zeros(2), 2.5))
"""


def test_a_site_that_fails_again_and_again_is_switched_off(tmp_path):
    program = tmp_path / "off.py"
    program.write_text(OFF, encoding="utf-8")
    done = nestwise(program, "serial", tmp_path / "cache")
    assert done.code == 0, done.stderr
    assert done.stdout.splitlines()[0] == "[1.5 1.5]"
    assert done.stdout.splitlines()[-1] == "[2.5 2.5]"
    (nest,) = nests_by_line(done.report, program)[6]
    codes = {f["code"]: f["count"] for f in nest["fallbacks"]}
    assert codes.get("off", 0) > 0, fallbacks(done, program)
    assert nest["calls"] == 28
