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
    ("NONE = object()\ndef f(a=NONE): return a is NONE\n", False),
    ("NONE = object()\nfor x in (1, NONE): print(x is NONE)\n", False),
    ("NONE = object()\nNONE = 3\ndef f(a=NONE): return a is NONE\n", True),
    ("NONE = object()\ndef f(a):\n    global NONE\n    NONE = a\n    return a is NONE\n", True),
    ("import m\nNONE = object()\nm.NONE = 3\nprint(a is NONE)\n", True),
    ("NONE = object()\ndef f(a, NONE): return a is NONE\n", True),
    ("object = int\nNONE = object()\nprint(a is NONE)\n", True),
    ("NONE = int()\nprint(a is NONE)\n", True),
    ("def g(): pass\ndef f(a): return a is g\n", False),
    ("def g(x=1): pass\nprint(a is g)\n", False),
    ("@wrapped\ndef g(): pass\nprint(a is g)\n", True),
    ("class A: pass\ndef f(a): return type(a) is A\n", False),
    ("class A(B): pass\ndef f(a): return type(a) is A\n", True),
    ("class A(metaclass=M): pass\ndef f(a): return type(a) is A\n", True),
    ("def g(): pass\nfor g in range(9): print(a is g)\n", True),
    ("def g(): pass\ndel g\nprint(a is g)\n", True),
    ("def g(): pass\nclass A:\n    g = 5\n    print(a is g)\n", True),
    ("def g(): pass\nfrom m import *\nprint(a is g)\n", True),
    ("def g(): pass\nglobals()['g'] = 5\nprint(a is g)\n", True),
    ("class A:\n    def f(self, other): return other is self and self.x\n", False),
    ("def f(a, b):\n    if a is b: a.z = 3\n", False),
    (
        "def f(ps):\n    for p in ps:\n        for q in ps:\n            if q is not p: p.x += 1\n",
        False,
    ),
    ("def f(a, b, c):\n    c.z\n    return g(c, a is b)\n", True),
    ("def f(a, b, c):\n    c.z\n    return [c, a is b]\n", True),
    ("def f(a, b):\n    a[0].z\n    return g(a) is b\n", True),
]


@pytest.mark.parametrize(("text", "asks"), CASES)
def test_observed(text, asks):
    assert observed(compile(text, "case", "exec")) is asks
