"""`nestwise explain`: verdicts, guessed types, stated sizes, stages. The scripts are never run."""

import json

import pytest
from processes import REAL, all_loops, nestwise, told

pytestmark = pytest.mark.skipif(not REAL, reason="needs the native part")

# Every loop says what is expected of it: `= verdict [operation]`.
LOOPS = """
import math
import numpy as np
from math import sqrt

SIZE = 100

def copy(a, b):
    for i in range(len(a)):  #= parallel
        b[i] = a[i]

def shift_down(a):
    for i in range(len(a) - 1):  #= parallel
        a[i] = a[i + 1]

def prefix(a):
    for i in range(1, len(a)):  #= serial
        a[i] += a[i - 1]

def evens(a):
    for i in range(len(a) // 2):  #= parallel
        a[2 * i] = a[2 * i + 1]

def broadcast(a, b):
    for i in range(len(b)):  #= parallel
        a[0] = b[i]

def total(a):
    s = 0.0
    for x in a:  #= reduction sum
        s += x
    return s

def less(a):
    s = 0.0
    for i in range(len(a)):  #= reduction sum
        s -= a[i]
    return s

def factorial(n):
    p = 1
    for k in range(1, n):  #= reduction product
        p *= k
    return p

def count(n):
    c = 0
    for i in range(n):  #= reduction sum
        if i % 7 == 3:
            c += 1
    return c

def smallest(a, n):
    low = 1 << 30
    for i in range(n):  #= reduction min
        low = min(low, int(a[i]))
    return low

def largest(a: list[int]):
    high = -1
    for i in range(len(a)):  #= reduction max
        high = max(high, a[i])
    return high

def bits(n):
    both, any_, odd = -1, 0, 0
    for i in range(n):  #= reduction and
        both &= i
    for i in range(n):  #= reduction or
        any_ |= i
    for i in range(n):  #= reduction xor
        odd ^= i
    return both, any_, odd

def two_kinds(n):
    s, p = 0, 1
    for i in range(1, n):  #= reduction
        s += i
        p *= i
    return s, p

def matmul(a, b, c):
    for i in range(a.shape[0]):  #= parallel
        for j in range(b.shape[1]):  #= parallel
            s = 0.0
            for k in range(a.shape[1]):  #= reduction sum
                s += a[i, k] * b[k, j]
            c[i, j] = s

def matmul_in_place(a, b, c):
    for i in range(a.shape[0]):  #= parallel
        for j in range(b.shape[1]):  #= parallel
            for k in range(a.shape[1]):  #= reduction sum
                c[i, j] += a[i, k] * b[k, j]

def heat(u, v, steps):
    for t in range(steps):  #= serial
        for i in range(1, len(u) - 1):  #= parallel
            v[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u, v = v, u

def seidel(u):
    for i in range(1, u.shape[0] - 1):  #= serial
        for j in range(1, u.shape[1] - 1):  #= serial
            u[i, j] = 0.25 * (u[i - 1, j] + u[i, j - 1] + u[i + 1, j] + u[i, j + 1])

def columns(u):
    for i in range(1, u.shape[0]):  #= serial
        for j in range(u.shape[1]):  #= parallel
            u[i, j] += u[i - 1, j]

def find(a, x):
    for i in range(len(a)):  #= serial
        if a[i] == x:
            return i
    return -1

def leave(a):
    for i in range(len(a)):  #= serial
        if a[i] < 0.0:
            break
        a[i] = sqrt(a[i])

def newton(x):
    y = x
    while abs(y * y - x) > 1e-9:  #= serial
        y = 0.5 * (y + x / y)
    return y

def recurrence(n, x):
    for i in range(n):  #= serial
        x = 3.7 * x * (1.0 - x)
    return x

def histogram(values, bins):
    for i in range(len(values)):  #= reduction sum
        bins[values[i]] += 1

def gather(index, a, b):
    for i in range(len(index)):  #= parallel
        b[i] = a[index[i]]

def rows(grid, out):
    for i in range(len(grid)):  #= parallel
        row = grid[i]
        for j in range(len(row)):  #= parallel
            out[i][j] = math.exp(row[j])

def private(a, b):
    for i in range(len(a)):  #= parallel
        t = a[i] * 2.0
        b[i] = t + t * t

def half(x):
    return 0.5 * x

def calls(a):
    for i in range(len(a)):  #= parallel
        a[i] = half(a[i])

class Field:
    def __init__(self, n):
        self.n = n
        self.u = np.zeros((n, n), dtype=np.float32)
        self.sum = 0.0

    def scale(self, by):
        for i in range(self.n):  #= parallel
            for j in range(self.n):  #= parallel
                self.u[i, j] *= by

    def add(self):
        for i in range(self.n):  #= reduction sum
            self.sum += self.u[i, 0]

def split(a, b, c):
    for i in range(1, len(a)):  #= serial
        a[i] = c[i] + 1.0
        b[i] = a[i - 1] * 2.0

unit = [0.0] * SIZE
for place in range(SIZE):  #= parallel
    unit[place] = place * 0.5

prefix(np.zeros(10)), histogram(np.arange(9), np.zeros(9, dtype=np.int64))
smallest(np.zeros(9, dtype=np.int32), 9)
Field(8).scale(0.5)
gather([1, 2, 3], unit, np.zeros(3))
raise SystemExit("the script was run")
"""
EXPECTED = {
    number: line.split("#= ")[1].split()
    for number, line in enumerate(LOOPS.split("\n"), 1)
    if "#= " in line
}


@pytest.fixture(scope="module")
def loops(tmp_path_factory):
    file = tmp_path_factory.mktemp("explain") / "loops.py"
    file.write_text(LOOPS)
    code, out, err = nestwise("explain", "--json", str(file))
    assert (code, err) == (0, b"")
    answer = json.loads(out)
    assert answer["refused"] == []
    return {loop["line"]: loop for loop in all_loops(answer)}


@pytest.mark.parametrize("line", EXPECTED)
def test_verdict(loops, line):
    verdict, *op = EXPECTED[line]
    loop = loops[line]
    assert (loop["verdict"], loop["op"]) == (verdict, op[0] if op else None), loop
    assert (loop["verdict"] == "serial") <= bool(loop["because"])


def test_every_loop_is_told_once(loops):
    assert list(loops) == sorted(EXPECTED) and len(EXPECTED) > 40


def line_of(text):
    found = [n for n, line in enumerate(LOOPS.split("\n"), 1) if line.strip().startswith(text)]
    assert len(found) == 1
    return found[0]


# The statement whose loop is meant, then: kind, name, source, sink, direction, distance.
PAIRS = [
    ("a[i] += a[i - 1]", "flow", "a", 0, 0, ["<"], [1]),
    ("x = 3.7 * x", "flow", "x", 0, 0, ["<"], [1]),
    ("b[i] = a[i - 1] * 2.0", "flow", "a", -1, 0, ["<"], [1]),
    ("u[i, j] += u[i - 1, j]", "flow", "u", 0, 0, ["<", "="], [1, 0]),
]


@pytest.mark.parametrize("statement, kind, name, source, sink, direction, distance", PAIRS)
def test_pair(loops, statement, kind, name, source, sink, direction, distance):
    at = line_of(statement)
    loop = loops[max(line for line in loops if line < at and loops[line]["verdict"] == "serial")]
    entries = [
        {
            "kind": kind,
            "name": name,
            "source_line": at + source,
            "sink_line": at + sink,
            "direction": direction,
            "distance": distance,
        }
    ]
    assert [d for d in loop["dependences"] if d in entries], loop["dependences"]
    assert f"`{name}" in loop["because"]


def test_hints(loops):
    before = {s: line_of(s) for s in ("a[i] = a[i + 1]", "b[i] = a[i - 1] * 2.0", "s += x")}
    copy, split, total = (loops[max(n for n in loops if n < at)] for at in before.values())
    assert (copy["verdict"], copy["copied_before"]) == ("parallel", ["a"])
    at = line_of("b[i] = a[i - 1] * 2.0")
    assert f"up to line {at - 1}, another from line {at}" in split["hint"]
    assert "--fp fast" in total["hint"] and "--fp fast" in total["because"]


def test_what_is_assumed(loops):
    gather = loops[line_of("b[i] = a[index[i]]") - 1]
    assert gather["assumes"] == [
        "a[?] in bounds",
        "b[i] in bounds",
        "a, b, index are different arrays",
    ]
    assert loops[line_of("p *= k") - 1]["assumes"] == []
    assert "t" in loops[line_of("t = a[i] * 2.0") - 1]["private"]


def test_fp_fast(place):
    source = LOOPS[: LOOPS.index("def less")]
    loop = all_loops(told(source, "--fp", "fast"))[-1]
    assert (loop["verdict"], loop["op"], loop["because"]) == ("reduction", "sum", None)


# What a script says, the name, and what it is taken for.
TYPES = [
    ("a = np.zeros(9)", "a", "ndarray float64 1"),
    ("a = np.zeros((9, 8, 7), np.int16)", "a", "ndarray int16 3"),
    ("a = np.full((9, 9), 1, dtype='f4')", "a", "ndarray float32 2"),
    ("a = np.arange(9)", "a", "ndarray int64 1"),
    ("a = np.arange(9.0)", "a", "ndarray float64 1"),
    ("a = np.random.default_rng(1).integers(0, 9, (4, 4), dtype=np.uint8)", "a", "ndarray uint8 2"),
    ("a = np.linspace(0, 1, 9)[:, None] * np.ones(4, dtype=np.float32)", "a", "ndarray float64 2"),
    ("a = (np.ones((4, 4)) < 2).astype(np.int8).ravel()", "a", "ndarray int8 1"),
    ("a = [0] * 9", "a", "list int 1"),
    ("a = [[0.0] * 4 for _ in range(9)]", "a", "list float 2"),
    ("a = np.zeros((4, 4)).tolist()", "a", "list float 2"),
    ("a = [1, 2.5]", "a", "list number 1"),
    ("a = []\nfor k in range(9):\n    a.append(k)\nelse:\n    b = 0", "a", "list int 1"),
    ("a = (True, False)", "a", "tuple bool 1"),
    ("a = 'text'", "a", "str"),
    ("a = bytearray(9)", "a", "bytearray"),
    ("import array\na = array.array('i', [1])", "a", "array int32"),
]


@pytest.mark.parametrize("source, name, type_", TYPES)
def test_types_from_assignments(place, source, name, type_):
    body = "for i in range(3):\n    b = a[i]\n"
    answer = told(f"import numpy as np\n{source}\n{body}")
    assert answer["nests"][-1]["types"][name] == type_


USES = [
    ("for i in range(n):\n        x = a[i]", {"n": "int", "a": "ndarray float64 1"}),
    ("for i in range(n):\n        x = a[i][i]", {"a": "ndarray float64 2"}),
    ("for i in range(n):\n        r = a[i]\n        x = r[0]", {"a": "ndarray float64 2"}),
    ("for i in range(n):\n        x = a[k[i]]", {"k": "ndarray int64 1"}),
    ("for i in range(n):\n        x = a[i + k]", {"k": "int"}),
    ("for i in range(n):\n        a[i] = k * 0.5", {"k": "float"}),
    ("for i in range(0, n, k):\n        a[i] = i", {"k": "int"}),
    ("for r in a:\n        for x in r:\n            k = x", {"a": "ndarray float64 2"}),
    ("for i in range(a.shape[2]):\n        n = i", {}),
    (
        "for i in range(n.count):\n        n.u[i, i] = k",
        {"n.count": "int", "n.u": "ndarray float64 2"},
    ),
]


@pytest.mark.parametrize("body, types", USES)
def test_types_from_uses(place, body, types):
    answer = told(f"def f(n, a, k):\n    {body}\n")
    assert answer["refused"] == []
    found = answer["nests"][0]["types"]
    assert {name: found.get(name) for name in types} == types


CALLS = [
    ("f(np.zeros((3, 3), dtype=np.int32), 5)", {"a": "ndarray int32 2", "n": "int"}),
    ("f(n=7, a=[[1.0]])", {"a": "list float 2"}),
    ("def g(b):\n    f(b, len(b))\ng(np.ones((4, 4), 'u1'))", {"a": "ndarray uint8 2"}),
    ("def make():\n    return np.eye(4)\nf(make(), 4)", {"a": "ndarray float64 2"}),
]


@pytest.mark.parametrize("call, types", CALLS)
def test_types_from_calls(place, call, types):
    source = "import numpy as np\ndef f(a, n):\n    for i in range(n):\n        x = a[i, i]\n"
    if "[[" in call:
        source = source.replace("a[i, i]", "a[i][i]")
    answer = told(source + call)
    found = answer["nests"][0]["types"]
    assert {name: found.get(name) for name in types} == types


def test_defaults_and_annotations(place):
    answer = told(
        "def f(n: int, x: float, k=3, y=0.5):\n    for i in range(n):\n        x += k * y\n"
    )
    types = answer["nests"][0]["types"]
    assert types == {"n": "int", "x": "float", "k": "int", "y": "float"}


REFUSED = [
    ("for x in []:\n    del x", 1, 2, "statement"),
    ("for i in range(3):\n    exec(i)", 1, 2, "expression-statement"),
    ("for i in range(3):\n    x = {i: i}", 1, 2, "expression"),
    ("d = {'a': 1}\nfor i in range(3):\n    x = d['a']", 2, 3, "type"),
    ("def f(a):\n    for i in range(3):\n        a[i] = unknown(i)", 2, 3, None),
    ("class C:\n    for i in range(3):\n        pass", 2, 2, "class-body"),
]


@pytest.mark.parametrize("source, line, at, reason", REFUSED)
def test_refused(place, source, line, at, reason):
    answer = told(source)
    assert answer["nests"] == []
    (entry,) = answer["refused"]
    assert (entry["line"], entry["reason_line"]) == (line, at)
    assert reason in (None, entry["reason"])
    assert entry["message"]


def test_guessed_types_are_named(place):
    answer = told(
        "def f(a, d):\n    for i in range(len(a)):\n        a[i] = d.get(i)\nf([1], {1: 2})"
    )
    assert "types were guessed as a: list int 1" in answer["refused"][0]["message"]


@pytest.mark.parametrize(
    "call",
    [
        *("random.random()", "rng.random()", "rng.uniform(1.0, 2.0)", "draw()", "np.random.rand()"),
        *("random.randint(1, 6)", "random.choice([1, 2])", "rng.choice((1, 2))", "new.random()"),
        *("np.random.uniform(0, 1)", "np.random.randint(5)", "new.uniform()"),
    ],
)
def test_random_numbers(place, call):
    source = f"""
import random
import numpy as np
from random import random as draw
def f(a, rng):
    for i in range(len(a)):
        a[i] = {call}
new = np.random.default_rng(3)
f([1.0], random.Random(3))
"""
    answer = told(source)
    assert answer["refused"] == []
    (loop,) = answer["nests"][0]["loops"]
    assert loop["verdict"] == "serial" and "each random number" in loop["because"]


def test_inner_nests_of_a_refused_loop(place):
    source = """
def f(a, n):
    for t in range(n):
        exec(t)
        for i in range(len(a)):
            a[i] += 1.0
        for i in range(1, len(a)):
            a[i] += a[i - 1]
"""
    answer = told(source)
    assert [r["line"] for r in answer["refused"]] == [3]
    assert [(n["line"], n["loops"][0]["verdict"]) for n in answer["nests"]] == [
        (5, "parallel"),
        (7, "serial"),
    ]
    assert {n["function"] for n in answer["nests"]} == {"f"}


def test_inner_nests_where_types_refuse_the_outer(place):
    source = """
import numpy as np
def f(a, b):
    for t in range(10):
        b[t] = np.sort(a)
        for i in range(len(a)):
            a[i] += 1.0
f(np.zeros(4), np.zeros((10, 4)))
"""
    answer = told(source)
    assert [r["line"] for r in answer["refused"]] == [4]
    assert [n["line"] for n in answer["nests"]] == [6]
