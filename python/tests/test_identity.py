"""Which programs tell numbers apart by identity."""

import pytest
from nestwise.identity import observed

CASES = [
    ("x is None", False),
    ("type(x) is int", False),
    ("x is y", True),
    ("x is y[0]", True),
    ("id(x)", True),
    ("def f(a, b):\n    return a is b\n", True),
    ("def f(a, b):\n    return a is b or b.real\n", True),
    ("def f(a, b):\n    if a is b: b.z = 3\n", False),
    ("def f(a, b):\n    if a is b.c: b.c.d\n", True),
    ("def f(ps):\n    for p in ps:\n        for q in ps:\n            if p is not q: q.x\n", False),
    ("def f(a, b):\n    def g(): return b is a\n    return g(), a.foo\n", True),
    ("class A:\n    def f(self, other): return other is self and self.x\n", False),
]


@pytest.mark.parametrize(("text", "asks"), CASES)
def test_observed(text, asks):
    assert observed(compile(text, "case", "exec")) is asks
