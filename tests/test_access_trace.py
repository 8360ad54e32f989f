"""The trace's verdicts on small loops whose answers are known.

In data/traced, each script's sections begin with `#= name`. Behind each loop stands `#:` and what
must be found: the verdict; for a serial loop because of what, and whether it is distributable;
`op=`, `private=` and `induction=` with names. What is not given for op and induction is none; for
private it is not looked at.
"""

import contextlib
import io
import json
import random
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from access_trace import trace_text
from trace_kernels import merged

HEAD = "import math\nimport numpy as np\n"


def cases():
    """Sections of the scripts in data/traced, by their names."""
    for file in sorted((Path(__file__).resolve().parent / "data" / "traced").glob("*.py")):
        for section in file.read_text(encoding="utf-8").split("\n#= ")[1:]:
            name, _, text = section.partition("\n")
            yield name, text


CASES = dict(cases())
MARK = re.compile(r"#: (\w+)(.*)")


def expectations(text):
    for number, line in enumerate(text.splitlines(), 1):
        found = MARK.search(line)
        if found:
            words = found[2].split()
            lists = dict(w.split("=") for w in words if "=" in w)
            yield number, found[1], [w for w in words if "=" not in w], lists


def names(text):
    return [name for name in text.split(",") if name]


@pytest.mark.parametrize("memory", [False, True], ids=["values", "memory"])
@pytest.mark.parametrize("name", CASES)
def test_verdict(name, memory):
    text = HEAD + CASES[name]
    loops = {loop["line"]: loop for loop in trace_text(text, memory=memory)["loops"]}
    expected = list(expectations(text))
    assert sorted(loops) == [line for line, *_ in expected]
    for line, verdict, words, lists in expected:
        loop = loops[line]
        assert loop["verdict"] == verdict, loop
        assert loop["op"] == names(lists.get("op", "")), loop
        assert loop["induction"] == names(lists.get("induction", "")), loop
        if "private" in lists:
            assert loop["private"] == names(lists["private"]), loop
        assert loop["because"] == (words[0] if words else None), loop
        assert loop["distributable"] == ("distributable" in words), loop


# Dependences: kind, name, source line, sink line, directions, distances, value-based. The texts'
# first lines are number 4.
VECTORS = {
    "distance two": (
        """
a = np.arange(8.0)
for i in range(2, 8):
    a[i] = a[i - 2] + 1
""",
        5,
        {("flow", "a", 6, 6, "<", (2,), True)},
    ),
    "against the flow": (
        """
a = np.arange(8.0)
for i in range(5):
    a[i] = a[i + 3]
""",
        5,
        {("anti", "a", 6, 6, "<", (3,), True)},
    ),
    "downwards": (
        """
a = np.arange(8.0)
for i in range(6, -1, -2):
    a[i] = a[i + 2 if i < 6 else 7]
""",
        5,
        {("flow", "a", 6, 6, "<", (1,), True)},
    ),
    "many distances": (
        """
a = np.arange(8.0)
for i in range(8):
    a[0] = i
""",
        5,
        {("output", "a", 6, 6, "<", (1,), True), ("output", "a", 6, 6, "<", (None,), False)},
    ),
    "the outer loop's": (
        """
a = np.zeros((5, 5))
for i in range(1, 5):
    for j in range(4):
        a[i, j] = a[i - 1, j + 1]
""",
        5,
        {("flow", "a", 7, 7, "<>", (1, -1), True)},
    ),
    "the inner loop's": (
        """
a = np.zeros((5, 5))
for i in range(1, 5):
    for j in range(1, 5):
        a[i, j] = a[i, j - 1]
""",
        6,
        {("flow", "a", 7, 7, "=<", (0, 1), True)},
    ),
    "a triangle, in steps of the range": (
        """
a = np.zeros(6)
for i in range(4):
    for j in range(i, 6):
        a[j] += i
""",
        5,
        {
            ("flow", "a", 7, 7, "<=", (1, 0), True),
            ("output", "a", 7, 7, "<=", (1, 0), True),
            ("flow", "a", 7, 7, "<=", (None, 0), False),
            ("anti", "a", 7, 7, "<=", (None, 0), False),
            ("output", "a", 7, 7, "<=", (None, 0), False),
        },
    ),
    "hidden by a write between": (
        """
a = np.zeros(6); b = np.zeros(6)
for i in range(2):
    a[0] = i
    b[i] = a[0]
""",
        5,
        {
            ("anti", "a", 7, 6, "<", (1,), True),
            ("output", "a", 6, 6, "<", (1,), True),
            ("flow", "a", 6, 7, "<", (1,), False),
        },
    ),
    "flow by memory alone": (
        """
a = np.zeros(1); b = np.zeros(6)
for i in range(2):
    a[0] = i
    a[0] = i
    b[i] = a[0]
""",
        5,
        {
            ("anti", "a", 8, 6, "<", (1,), True),
            ("output", "a", 7, 6, "<", (1,), True),
            ("flow", "a", 6, 8, "<", (1,), False),
            ("flow", "a", 7, 8, "<", (1,), False),
            ("anti", "a", 8, 7, "<", (1,), False),
            ("output", "a", 6, 6, "<", (1,), False),
            ("output", "a", 6, 7, "<", (1,), False),
            ("output", "a", 7, 7, "<", (1,), False),
        },
    ),
    "another name": (
        """
a = np.zeros(6); b = a[1:]
for i in range(4):
    b[i] = a[i]
""",
        5,
        {("flow", "b", 6, 6, "<", (1,), True)},
    ),
}


def carried(loop):
    return {
        (
            d["kind"],
            d["name"],
            d["source_line"],
            d["sink_line"],
            "".join(d["direction"]),
            tuple(d["distance"]),
            d["value_based"],
        )
        for d in loop["dependences"]
    }


@pytest.mark.parametrize("name", VECTORS)
def test_vectors(name):
    text, line, expected = VECTORS[name]
    found = trace_text(HEAD + text)
    assert found["complete"] and not found["incomplete"]
    (loop,) = (loop for loop in found["loops"] if loop["line"] == line)
    variables = {loop["var"] for loop in found["loops"]}
    arrays = {d for d in carried(loop) if d[1] not in variables}
    assert arrays == expected


def random_nest(random):
    """Two loops around assignments of elements of one array, with the elements they touch."""
    rows, columns = random.randint(2, 4), random.randint(2, 4)

    def subscript():
        p, q, r = (random.randint(-2, 2) for _ in range(3))
        if random.random() < 0.3:
            return "(%d * i * j + %d) %% 9" % (p, r)
        return "(%d * i + %d * j + %d) %% 9" % (p, q, r)

    statements = []
    for _ in range(random.randint(1, 3)):
        reads = [subscript() for _ in range(random.randint(0, 2))]
        statements.append((subscript(), reads, random.random() < 0.2))
    lines = ["a = [0.0] * 9", "for i in range(%d):" % rows, "    for j in range(%d):" % columns]
    for target, reads, guarded in statements:
        value = " + ".join(["i - j", *("a[%s]" % r for r in reads)])
        lines.append("        %sa[%s] = %s" % ("if i != j: " if guarded else "", target, value))
    accesses = []
    for i in range(rows):
        for j in range(columns):
            for line, (target, reads, guarded) in enumerate(statements, 4):
                if guarded and i == j:
                    continue
                for place, is_write in [*((r, False) for r in reads), (target, True)]:
                    accesses.append((eval(place), is_write, line, (i, j)))
    return "\n".join(lines), accesses


def brute_force(accesses, level):
    """Every pair of accesses that the loop at `level` carries, straight from the definition."""
    vectors = {}
    for k, (place, write, line, p) in enumerate(accesses):
        between = False
        for other, writes, sink, q in accesses[k + 1 :]:
            if other != place:
                continue
            if (write or writes) and p[:level] == q[:level] and p[level] != q[level]:
                kind = ("output" if writes else "flow") if write else "anti"
                apart = tuple(there - here for here, there in zip(p, q, strict=True))
                vectors.setdefault((kind, line, sink, not between), set()).add(apart)
            between |= writes
    return vectors


def direction(distances):
    signs = {(d > 0) - (d < 0) for d in distances}
    if {1, -1} <= signs:
        return "*"
    return ("<" if 1 in signs else "") + ("=" if 0 in signs else "") + (">" if -1 in signs else "")


@pytest.mark.parametrize("seed", range(150))
def test_against_the_definition(seed):
    text, accesses = random_nest(random.Random(seed))
    loops = trace_text(text)["loops"]
    for level, loop in enumerate(loops):
        expected = {
            (
                kind,
                "a",
                source,
                sink,
                "".join(direction(column) for column in zip(*vectors, strict=True)),
                tuple(
                    column[0] if len(set(column)) == 1 else None
                    for column in zip(*vectors, strict=True)
                ),
                value,
            )
            for (kind, source, sink, value), vectors in brute_force(accesses, level).items()
        }
        assert {d for d in carried(loop) if d[1] == "a"} == expected, text
        flows = any(e[0] == "flow" and e[6] for e in expected)
        if flows:
            assert loop["verdict"] in ("serial", "reduction"), text
        else:
            assert loop["verdict"] == "parallel", text
        if loop["verdict"] == "reduction":
            assert "] = i - j + a[" in text, text


def test_command():
    """The command prints what the function returns, the script's own output apart."""
    tests = Path(__file__).resolve().parent
    script = tests.parent / "kernels" / "matmul.py"
    words = [sys.executable, tests / "access_trace.py", "--values", script, "--size", "4"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "checksum" in done.stderr
    found = json.loads(done.stdout)
    verdicts = {loop["line"]: loop["verdict"] for loop in found["loops"]}
    assert [v for v in verdicts.values() if v != "unseen"] == ["parallel", "parallel", "reduction"]


def test_table(tmp_path):
    """Both forms of a program, merged over sizes that show different things."""
    tests = Path(__file__).resolve().parent
    out = tmp_path / "loops.json"
    words = [sys.executable, tests / "trace_kernels.py", "--out", out, "kmeans", "lu_pivot"]
    subprocess.run(words, check=True, capture_output=True)
    table = json.loads(out.read_text())
    assert [(p["name"], p["form"], p["complete"]) for p in table] == [
        ("lu_pivot", "ndarray", True),
        ("lu_pivot", "list", True),
        ("kmeans", "ndarray", True),
    ]
    verdicts = {
        (p["name"], p["form"], loop["function"]): loop for p in table for loop in p["loops"][:1]
    }
    assert verdicts["lu_pivot", "ndarray", "factor"]["verdict"] == "serial"
    assert verdicts["lu_pivot", "list", "factor"]["verdict"] == "unseen"
    assert verdicts["kmeans", "ndarray", "assign"]["op"] == ["sum"]


def test_merging():
    """What one size refutes, another does not uphold."""
    one = trace_text("k = 0\nfor i in range(3):\n    k += 1\n    k * 2\n")["loops"][0]
    two = trace_text("k = 0\nfor i in range(3):\n    k += i\n    k * 2\n")["loops"][0]
    assert (one["verdict"], one["induction"]) == ("parallel", ["k"])
    both = merged([one, two])
    assert (both["verdict"], both["because"], both["carried"]) == ("serial", "flow", ["k"])
    assert both["induction"] == both["private"] == []
    assert both["iterations"] == 6


def test_budget():
    """A history too long to compare is said to be, and the verdict does not depend on it."""
    found = trace_text("for i in range(700):\n    x = i\n")
    assert "x" in found["incomplete"] and found["complete"]
    assert found["loops"][0]["verdict"] == "parallel"


def test_threads(monkeypatch):
    """What runs beside the script's own loops cannot be told apart from them: no answer."""
    text = "import threading\ndef f():\n    for i in range(3):\n        pass\n"
    start = "t = threading.Thread(target=f)\nt.start()\nt.join()\n"
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    with pytest.raises(RuntimeError, match="threads"):
        trace_text(text + start)


def test_limit():
    text = "a = [0]\nfor i in range(9):\n    for j in range(9):\n        a[0] = j\n"
    assert trace_text(text)["complete"]
    assert not trace_text(text, limit=50)["complete"]


def test_a_script_sees_no_difference():
    """Order of evaluation, unpacking, deletion, classes, generators, exceptions."""
    text = '''"""A script's own docstring."""
log = []
def say(x):
    log.append(x)
    return x
class Point:
    """A class's docstring."""
    __slots__ = ("x", "__y")
    total = 0
    def __init__(self, x):
        self.x = x
        self.__y = [x]
    def turn(self):
        """A method's docstring."""
        self.__y[say(0)] += say(2)
        self.x, self.__y[0] = self.__y[0], self.x
        return self.__y
def numbers(n):
    for k in range(n):
        got = yield k
        log.append(got)
points = [Point(k) for k in range(3)]
for p in points:
    p.turn()
for k, (a, *b) in enumerate([(1, 2, 3), (4, 5, 6)]):
    points[say(k)].x = say(a) + sum(b)
d = {}
d[say("k")] = say(1)
d["k"] -= 3
x = y = [1, 2, 3]
x[say(0)], x[say(1)] = x[1], x[0]
del x[say(1)]
x[1:] = [7, 8, 9]
g = numbers(3)
for v in g:
    log.append(v)
while x:
    try:
        x.pop(0)
        if len(x) == 1:
            continue
    finally:
        log.append(len(x))
else:
    log.append("else")
for i in range(3):
    try:
        log.append([1, 2][i])
    except IndexError as error:
        log.append(str(error))
        break
else:
    log.append("not reached")
f = lambda v, *, w=2: [v * u for u in range(w) if u]
log.append(f(3))
if (n := len(log)) > 3:
    log.append(n)
with open(__file__) as file:
    log.append(file.readline())
print(log, [p.turn() for p in points], d, x, y, __doc__, Point.__doc__, Point.turn.__doc__)
'''
    found = trace_text(text, __file__)
    plain = io.StringIO()
    with contextlib.redirect_stdout(plain):
        exec(compile(text, __file__, "exec"), {"__name__": "__main__", "__file__": __file__})
    assert found["stdout"] == plain.getvalue()
