"""`nestwise verify`: clean on what is right, and it finds what was made wrong on purpose.

`NESTWISE_BREAK=OP` (runtime/src/broken.rs) has every nest compute something else wherever it uses
one operation. `make verify-all` tries every operation on every program of kernels/.
"""

import os
import re
import zlib
from pathlib import Path
from typing import NamedTuple

import pytest
from differential import difference, every_program, python, source_lines, verify
from test_kernels import INDEX, KERNELS

# Every operation in a long run; in a short one those that most nests use.
OPERATIONS = (
    "add sub mul div floordiv mod pow and or xor shl shr lt le gt eq neg abs sqrt exp sin".split()
)
LONG = os.environ.get("NESTWISE_LONG_TESTS", "") not in ("", "0")
CHOSEN = OPERATIONS if LONG else ["add"]
# Left out are scripts whose loops end when a signal's handler says so: it says so while CPython
# runs again what compiled code did until then, which takes CPython many times as long.
OUTSIDE = re.compile(r"^import signal\b", re.MULTILINE)
SCRIPTS = [path for path in every_program() if not OUTSIDE.search("\n".join(source_lines(path)))]
SHARE = 1 if LONG else 5
SUMMARY = re.compile(r"verify: ([\d,]+) runs? of ([\d,]+) nests? compared with CPython: (.*)")


def told(done):
    """(runs compared, nests, the verdict) of the last line."""
    found = SUMMARY.search(done.stderr)
    assert found, done.stderr
    return int(found[1].replace(",", "")), int(found[2].replace(",", "")), found[3]


class Run(NamedTuple):
    program: Path

    def processes(self):
        return [(None, self.program), ("verify", self.program)]

    def __str__(self):
        return self.program.stem


RUNS = [Run(p) for p in SCRIPTS if zlib.crc32(p.name.encode()) % SHARE == 0]


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_what_is_right_is_found_right(run, runs):
    expected = runs.get(None, run.program)
    got = runs.get("verify", run.program)
    assert told(got)[2] == "no difference", got.stderr
    assert (got.code, got.stdout) == (expected.code, expected.stdout), difference(expected, got)


def test_much_is_compared(runs):
    compared = [told(runs.get("verify", run.program)) for run in RUNS]
    assert sum(c[0] for c in compared) > 20 * len(RUNS)
    assert sum(c[1] for c in compared) > 5 * len(RUNS)


def test_a_while_that_cpython_begins_is_compared_from_where_it_was_taken_over(tmp_path):
    """The first iterations leave 2**120: native code comes in after some turns of CPython's."""
    script = tmp_path / "late.py"
    script.write_text(
        "def orbit(x):\n"
        "    steps = 0\n"
        "    while x != 1:\n"
        "        if x % 2 == 0:\n"
        "            x //= 2\n"
        "        else:\n"
        "            x = 3 * x + 1\n"
        "        steps += 1\n"
        "    return steps\n"
        "for k in range(20):\n"
        "    print(orbit(((2**120 - 1) // 3 | 1) + 2 * k))\n"
    )
    done = verify(script, tmp_path / "cache")
    runs, nests, verdict = told(done)
    assert verdict == "no difference" and nests == 1 and runs > 40, done.stderr


# -- what is wrong is found --------------------------------------------------------------------


# Where the wrong operation does the same in these programs.
EQUIVALENT = {
    ("sub", "quadrature"): "b - a, with a = 0",
    ("sub", "convolve"): "the last row and column: one beyond them is an event, so CPython runs it",
    ("lt", "fft"): "swaps of i and j for i < j are those for i > j",
    ("abs", "gauss_seidel"): "the largest change is no negative one",
}


def uses(done):
    """Whether a nest that was made wrong ran an iteration to its end."""
    return any(n["means"].get("broken") and n["iterations"] for n in done.report["nests"])


@pytest.mark.parametrize("entry", INDEX, ids=lambda e: e["name"])
@pytest.mark.parametrize("operation", CHOSEN)
def test_a_planted_miscompilation_is_found(entry, operation, tmp_path):
    arguments = ("--size", "small", "--form", entry["forms"][0])
    done = verify(KERNELS / entry["file"], tmp_path, *arguments, broken=operation)
    found = "compiled code and CPython differ" in done.stderr
    assert done.code == found, done.stderr
    if found:
        assert any(n["means"].get("broken") for n in done.report["nests"])
    else:
        assert not uses(done) or (operation, entry["name"]) in EQUIVALENT, done.stderr


PLACES = {
    "a local": ("s = 0.0\n    for x in a:\n        s = s + x\n    return s", "s: compiled"),
    "an array": ("for i in range(n):\n        a[i] = a[i] + 1.5", "a[0]: compiled"),
    "a list": ("for i in range(n):\n        xs[i] = xs[i] + 1.5", "xs[0]: compiled"),
    "a row": ("for i in range(n):\n        rows[1][i] = rows[1][i] + 1.5", "rows[1][0]: compiled"),
    "a view's owner": ("for i in range(n):\n        v[i] = v[i] + 1.5", "v[0]: compiled"),
    "a buffer": ("for i in range(n):\n        q[i] = q[i] + 1", "q[0]: compiled"),
    "an attribute": ("for i in range(n):\n        o.t = o.t + 1.5", "o.t: compiled"),
    "an object that was made": (
        "for i in range(n):\n        p = Pair(i, a[i] + 1.5)\n    return p.b",
        "p: compiled <__main__.Pair object",
    ),
    "a global": ("global g\n    for i in range(n):\n        g = g + 1.5", "g: compiled"),
    "an appended item": ("for x in a:\n        out.append(x + 1.5)", "out[0]: compiled"),
    "an append too many": (
        "for x in a:\n        if x + 1.0 < 2.0:\n            out.append(x)",
        "out: compiled has",
    ),
    "a break": (
        "for i in range(n):\n        if a[i] + 2.0 < 2.0:\n            break",
        "the end: compiled code left the loop by break, CPython does not leave the loop",
    ),
    "no break": (
        "for i in range(n):\n        if a[i] + 2.0 > 2.5:\n            break",
        "the end: compiled code ran to the loop's end, CPython leaves the loop early",
    ),
    "a range": (
        "for i in range(n + 2):\n        w[i % 3] = 1.0",
        "the range: compiled range(0, 1)",
    ),
    "a returned value": (
        "for i in range(n):\n        if a[i] == 1.0:\n            return a[i] + 2.0",
        "the value returned: compiled",
    ),
    "no exception": (
        "s = 0.0\n    for i in range(n):\n        s += 1.0 / (w[i] + -1.0)",
        "CPython raises ZeroDivisionError",
    ),
    "no warning": (
        "s = 0.0\n    for i in range(n):\n        s += a[0] / (a[i] + -1.0)",
        "a warning: CPython gives it, compiled code does not: RuntimeWarning",
    ),
}
PLACE = """\
import array

import numpy as np


class Holder:
    t = 0.5


class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b


g = 0.5
a = np.arange(4.0)
xs = [0.5, 1.5, 2.5]
rows = [[0.5] * 3, [1.5] * 3]
v = np.arange(9.0)[1::2]
q = array.array("d", [0.5, 1.5, 2.5])
o = Holder()
o.t = 0.5
out = []
w = [3.0, 1.0, 2.0]


def f(n):
    {body}


try:
    print(f(3))
except ZeroDivisionError as error:
    print(error)
print(a, xs, rows, v, q, o.t, g, out)
"""


@pytest.mark.parametrize("place", PLACES)
def test_every_place_is_looked_at(place, tmp_path):
    body, wanted = PLACES[place]
    program = tmp_path / "place.py"
    program.write_text(PLACE.format(body=body))
    expected = python(program)
    assert verify(program, tmp_path / "cache").code == 0
    done = verify(program, tmp_path / "cache", broken="add")
    assert (done.code, done.stdout) == (1, expected.stdout)
    assert wanted in done.stderr, done.stderr


WARNS_AGAIN = """\
import warnings

import numpy as np

warnings.simplefilter({action!r})
a = np.full(5, 1e308)


def f(b):
    for i in range(len(a)):
        b[i] = a[i] * b[i]


def g(b):
    for i in range(len(a)):
        b[i] = a[i] * b[i]


# From outside of loops: each call is a nest of its own.
list(map(f, [np.full(5, 1.5 + k * 100.0) for k in range(3)]))
g(np.full(5, 1e10))
print(*globals().get("__warningregistry__", ()))
warnings.simplefilter("default")
list(map(f, [np.full(5, 1e10) for k in range(2)]))
"""


@pytest.mark.parametrize("action", ["default", "always", "module", "once", "ignore"])
def test_a_warning_is_missed_however_often_it_was_shown(action, tmp_path):
    program = tmp_path / "warns.py"
    program.write_text(WARNS_AGAIN.format(action=action))
    expected = python(program)
    right = verify(program, tmp_path / "cache")
    assert (right.code, right.stdout) == (0, expected.stdout), right.stderr
    done = verify(program, tmp_path / "cache", broken="warning")
    assert (done.code, done.stdout) == (1, expected.stdout), done.stderr
    missed = done.stderr.count(
        "a warning: CPython gives it, compiled code does not: RuntimeWarning"
    )
    # What a filter ignores nobody misses, and the first call overflows nowhere.
    assert missed == (2 if action == "ignore" else 5)
    # The program shows what it would have shown.
    warned = [line for line in expected.stderr.splitlines() if "RuntimeWarning" in line]
    for run in (right, done):
        assert [x for x in run.stderr.splitlines() if x.endswith(tuple(warned))] == warned


# -- the command -------------------------------------------------------------------------------

CALLED_OFTEN = """\
import sys
def f(n):
    s = 0
    for i in range(n):
        s = s + i * 3
    return s
print(sum(map(f, [9] * 400)))
sys.exit(int(sys.argv[1]))
"""


@pytest.fixture
def often(tmp_path):
    program = tmp_path / "often.py"
    program.write_text(CALLED_OFTEN)
    return program


def test_exit_codes(often, tmp_path):
    for code in (0, 7):
        assert verify(often, tmp_path / "cache", str(code)).code == code
        assert verify(often, tmp_path / "cache", str(code), broken="mul").code == 1


def test_a_sample_compares_the_first_calls_and_some_others(often, tmp_path):
    done = verify(often, tmp_path / "cache", "0", options=["--sample", "10"])
    assert 20 < told(done)[0] < 80
    assert done.stdout == python(often, "0").stdout
    done = verify(often, tmp_path / "cache", "0", options=["--sample", "60000"], broken="mul")
    assert (done.code, told(done)[0]) == (1, 2)


def test_a_difference_says_how_to_see_it_again(often, tmp_path):
    done = verify(often, tmp_path / "cache", "0", options=["--threads", "2"], broken="mul")
    assert f"verify: {often}:4, call 5" in done.stderr
    assert "further differences of this nest are only counted" in done.stderr
    again = re.search(r"nestwise verify (--only \S+:4:3 --threads 2) .*often.py 0\n", done.stderr)
    assert again, done.stderr
    done = verify(often, tmp_path / "cache", "0", options=again[1].split(), broken="mul")
    assert told(done) == (1, 1, "1 differ")
    assert done.stderr.count("call 3: compiled code and CPython differ") == 1


def test_a_call_that_never_comes_is_said_so(often, tmp_path):
    done = verify(often, tmp_path / "cache", "0", options=["--only", "often.py:4:500"])
    assert "call 500 of a nest at" in done.stderr
    assert told(done)[0] == 0


def test_what_stays_in_cpython_is_listed(tmp_path):
    program = tmp_path / "stays.py"
    program.write_text("a = [object(), 2]\nfor x in a:\n    y = x == 3\nprint(y)\n")
    done = verify(program, tmp_path / "cache")
    assert (done.code, done.stdout) == (0, "False\n")
    assert "stays.py:2 never ran compiled: " in done.stderr


def test_a_program_with_other_threads_runs_right_and_is_not_compared(tmp_path):
    program = tmp_path / "threads.py"
    program.write_text(
        "import threading\n"
        "def f(a, n):\n"
        "    for i in range(n):\n"
        "        a[i] = a[i] + 1\n"
        "go = threading.Event()\n"
        "t = threading.Thread(target=go.wait)\n"
        "t.start()\n"
        "a = [0] * 9\n"
        "f(a, 9)\n"
        "go.set()\n"
        "t.join()\n"
        "print(a)\n"
    )
    done = verify(program, tmp_path / "cache")
    assert (done.code, done.stdout) == (0, f"{[1] * 9}\n")
    assert "threads.py:3 f ran compiled and was not compared" in done.stderr
    assert "\n1 run was not compared, as other threads of Python's were alive\n" in done.stderr


@pytest.mark.parametrize(
    "options, message",
    [
        (["--sample", "0"], "--sample: '0' is not a sample"),
        (["--sample", "x"], "--sample: 'x' is not a sample"),
        (["--only", "often.py:4"], "--only: 'often.py:4' is not FILE:LINE:CALL"),
        (["--only"], "is not FILE:LINE:CALL"),
    ],
)
def test_bad_options(options, message, often, tmp_path):
    done = verify(often, tmp_path / "cache", "0", options=options)
    assert done.code == 2
    assert message in done.stderr
