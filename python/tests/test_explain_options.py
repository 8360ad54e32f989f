"""`nestwise explain`: stated sizes, stages, what it reads and writes."""

import os
import re
import subprocess
import sys

import pytest
from processes import REAL, all_loops, nestwise, told, write

pytestmark = pytest.mark.skipif(not REAL, reason="needs the native part")

AHEAD = """
def f(a, n, k):
    for i in range(n):
        a[i + k] = a[i]
class C:
    def g(self):
        for i in range(self.n):
            self.a[i + 10] = self.a[i]
def h(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i + 8 * j] = a[i, j]
"""
SIZES = [
    ("", 3, "when"),
    ("n=10,k=10", 3, "parallel"),
    ("n=11, k=10", 3, "serial"),
    ("n=1_000,k=0", 3, "parallel"),
    ("n=10", 3, "when"),
    ("self.n=10", 7, "parallel"),
    ("self.n=11", 7, "serial"),
    ("a=8x9", 10, "parallel"),
    ("a.shape=(8, 9)", 10, "parallel"),
    ("a=9x9", 10, "serial"),
]


@pytest.mark.parametrize("sizes, line, verdict", SIZES)
def test_sizes(place, sizes, line, verdict):
    answer = told(AHEAD, *([f"--sizes={sizes}"] if sizes else []))
    loop = next(loop for loop in all_loops(answer) if loop["line"] == line)
    assert loop["verdict"] == verdict, loop


def test_conditions_are_in_the_users_names(place):
    loop = all_loops(told(AHEAD))[0]
    assert "k <= 0" in loop["condition"] and "n" in loop["condition"]
    write("s.py", AHEAD)
    copied = ", reading `a` from a copy made before it"
    line = f"s.py:3: for i: parallel when {loop['condition']}{copied}\n"
    assert nestwise("explain", "s.py")[1].startswith(line.encode())


def test_sizes_of_methods(place):
    source = """
class C:
    def at(self, i):
        return self.a[i - self.k]
    def g(self):
        for i in range(self.k, self.k + self.n):
            self.a[i] = self.at(i)
"""
    verdicts = [
        all_loops(told(source, "--sizes", f"self.n=5,self.k={k}"))[0]["verdict"] for k in (4, 5)
    ]
    assert verdicts == ["serial", "parallel"]


BAD = [
    (["--sizes", "n"], "'n' is not of the form"),
    (["--sizes", "n=x"], "'x' is neither a number nor extents"),
    (["--sizes", "n=1.5"], "'1.5' is neither"),
    (["--sizes", "n=1,n=2"], "n is given twice"),
    (["--sizes", "a=3x-1"], "out of range"),
    (["--sizes", "a=(3,"], "neither"),
    (["--sizes", "2=3"], "not of the form"),
    (["--sizes", "q=3"], "no loop nest uses q"),
    (["--sizes", "n=3x4"], "n is taken for `int"),
    (["--sizes", "a=3x4x5"], "3 extents are given"),
    (["--sizes"], "--sizes: expected one argument"),
    (["--after", "magic"], "there are parse, lower, prove, analyse, schedule, price"),
    (["--fp", "loose"], "'loose' is none of"),
    (["--frob"], "unrecognized arguments: --frob"),
    (["t.py"], "unrecognized arguments: t.py"),
]


@pytest.mark.parametrize("options, message", BAD)
def test_bad_options(place, options, message):
    write("s.py", AHEAD)
    code, out, err = nestwise("explain", "s.py", *options)
    assert (code, out, err.count(b"\n")) == (2, b"", 1)
    assert err.startswith(b"nestwise: ") and message in err.decode()


STAGES = {
    "parse": "for i in range(n):",
    "lower": "x0:a0[(v",
    "prove": "a1[v0]!",
    "analyse": "x1 store a[i] (line 3)",
    "schedule": "in order",
    "price": "a price needs all sizes",
}


@pytest.mark.parametrize("stage", STAGES)
def test_after(place, stage):
    write("s.py", "def f(a, n):\n    for i in range(n):\n        a[i] = a[i + 1] * 2.0\n")
    code, out, _ = nestwise("explain", "--after", stage, "s.py")
    assert code == 0 and out.startswith(f"s.py:2: after {stage}\n".encode())
    json_ = told(
        "def f(a, n):\n    for i in range(n):\n        a[i] = a[i + 1] * 2.0\n", "--after", stage
    )
    stage_text = json_["nests"][0]["stage"]
    assert all(line.strip().encode() in out for line in stage_text.splitlines())


def test_prices_by_term(place):
    write("s.py", "def f(a, n):\n    for i in range(n):\n        a[i] = a[i] * 2.0\n")
    sizes = ["--sizes", "a=1000000,n=1000000"]
    code, out, _ = nestwise("explain", "--profile", "default", "--after", "price", *sizes, "s.py")
    assert code == 0
    head, about, *lines = out.decode().splitlines()[:6]
    assert head == "s.py:2: after price" and "default (not measured" in about
    prices = dict(line.split(maxsplit=1) for line in lines)
    assert prices.keys() == {"interpreter", "serial", "threads", "gpu"}
    assert {"bind", "compile", "compute"} <= set(re.findall(r"[a-z-]+(?= \d)", prices["serial"]))
    assert "no card" in prices["gpu"] and "fork-join" in prices["threads"]


def test_text(place):
    source = """
def f(u, steps):
    for t in range(steps):
        for i in range(1, len(u)):
            u[i] = u[i - 1] + 1.0
for x in []:
    del x
"""
    write("heat.py", source)
    code, out, _ = nestwise("explain", "heat.py")
    lines = out.decode().splitlines()
    assert code == 0
    assert lines[0].startswith("heat.py:3: for t: serial: an element ")
    assert re.fullmatch(
        r"heat.py:4:   for i: serial: an element written as `u\[i\]` \(line 5\) may be read as "
        r"`u\[i - 1\]` \(line 5\) in the next iteration of `i`; distance \(0, 1\)",
        lines[1],
    )
    assert "heat.py:6: for: stays in CPython: `del`" in lines[2]
    assert lines[3].startswith("    hint: ")
    write("none.py", "x = 1")
    assert nestwise("explain", "none.py") == (0, b"none.py: no loops\n", b"")


def test_what_the_order_of_floats_costs(place):
    source = """
        def dot(a, b, n):
            s = 0.0
            for i in range(n):
                s += a[i] * b[i]
            return s
        """

    def loop(sizes):
        return told(source, *(["--sizes", sizes] if sizes else []))["nests"][0]["loops"][0]

    large = loop("n=100000000,a=100000000,b=100000000")
    assert large["gain"] > 1.05
    assert f"about {large['gain']:.1f} times as fast" in large["hint"]
    for sizes in ("", "n=100000000"):
        unknown = loop(sizes)
        assert unknown["gain"] is None and "times as fast" not in unknown["hint"]


def test_the_gain_of_faithful_is_told_where_all_sizes_are_stated(place):
    source = """
        import math
        def waves(a, b, n):
            for i in range(n):
                b[i] = math.sin(a[i])
        def chain(n):
            x = 0.5
            for i in range(n):
                x = math.sin(x)
            return x
        def sums(a, b, n):
            for i in range(n):
                b[i] = math.sqrt(a[i]) + 1.0
    """

    def loops(*options):
        return [nest["loops"][0] for nest in told(source, *options)["nests"]]

    stated = ("--sizes", "n=1000000,a=1000000,b=1000000")
    waves, chain, sums = loops(*stated)
    assert waves["verdict"] == "parallel" and waves["gain"] is None
    assert waves["faithful_gain"] > 1.5
    text = f"on vectors; the nest would be about {waves['faithful_gain']:.1f} times as fast"
    assert f"--fp faithful computes its functions {text}" in waves["hint"]
    # Where nothing runs on vectors, a vector function takes as long as the other.
    assert abs(chain["faithful_gain"] - 1.0) < 0.01 and "faithful" not in str(chain["hint"])
    assert sums["faithful_gain"] is None and "faithful" not in str(sums["hint"])
    for options in ([], ["--sizes", "n=1000000"], [*stated, "--fp", "faithful"]):
        waves = loops(*options)[0]
        assert waves["faithful_gain"] is None and "faithful" not in str(waves["hint"])


def test_modules_beside_the_script(place):
    write("helpers.py", "import math\nSCALE = 2\ndef smooth(x): return math.sqrt(x) * SCALE\n")
    write("tools/__init__.py", "from .inner import *\nfrom . import deep\n")
    write(
        "tools/inner.py", "from helpers import smooth\ndef twice(x): return smooth(x) + smooth(x)\n"
    )
    write("tools/deep.py", "def chain(a, i):\n    return a[i - 1] + 1.0\n")
    source = """
        import helpers as h, tools, tools.deep
        from helpers import smooth
        from tools import twice
        from missing import away
        def f(a, b, n):
            for i in range(n):
                a[i] = smooth(b[i]) + h.smooth(b[i]) + h.SCALE
            for i in range(n):
                a[i] = twice(b[i])
            for i in range(1, n):
                a[i] = tools.deep.chain(a, i)
            for i in range(n):
                a[i] = away(a[i])
        """
    answer = told(source)
    assert [n["loops"][0]["verdict"] for n in answer["nests"]] == ["parallel", "parallel", "serial"]
    [refused] = answer["refused"]
    assert "the function away is not known" in refused["message"]


def test_readers_that_have_had_enough(place):
    write("s.py", "def f(a, n):\n    for i in range(n):\n        a[i] = 1.0\n")
    command = [sys.executable, "-m", "nestwise", "explain", "s.py"]
    read, written = os.pipe()
    os.close(read)
    with os.fdopen(written, "wb") as closed:
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
