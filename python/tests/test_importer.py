"""Which modules are handled, and that nothing of it shows."""

import os
import textwrap

import pytest
from processes import LOOP, nestwise, python, same, write

MODULE = LOOP + "HOOKED = any(callable(c) for c in total.__code__.co_consts)\n"


def test_own_modules(place):
    write("m.py", MODULE)
    write("p/__init__.py", MODULE)
    write("p/q.py", MODULE)
    write("lib/site-packages/third.py", MODULE)
    write(
        "s.py",
        """
        import sys
        sys.path.append("lib/site-packages")
        import m, p.q, third
        print(m.HOOKED, p.HOOKED, p.q.HOOKED, third.HOOKED)
        print([type(x.__loader__).__name__ for x in (m, p, third)], m.__spec__.cached)
    """,
    )
    for _ in range(2):
        _, out, err = nestwise("run", "s.py")
        assert (out.split(b"\n")[0], err) == (b"True True True False", b"")
        assert b"['SourceFileLoader', 'SourceFileLoader', 'SourceFileLoader']" in out
    _, out, _ = nestwise("run", "--include", "third", "s.py")
    assert out.startswith(b"True True True True")
    _, out, _ = python("s.py")  # the .pyc files are python's own
    assert out.startswith(b"False False False False")


@pytest.mark.parametrize(
    "text",
    [
        "def f(:",
        "1/0",
        "raise ImportError('no')",
        "import nope",
        LOOP + "total('x')",
        "from m import nope",
        "for i in range(3):\n    [][i]",
    ],
)
def test_import_errors_look_the_same(place, text):
    write("m.py", text)
    write("s.py", "x = 1\nimport m\n")
    same("s.py")
    same("-m", "s")


def test_warnings_of_modules(place):
    write("m.py", MODULE + "x = 1\ny = x is 1\n")
    write("s.py", "import m\nprint(m.total(3))")
    plain = python("-B", "s.py")
    assert b"SyntaxWarning" in plain[2]
    assert nestwise("run", "-B", "s.py") == plain
    assert nestwise("run", "-B", "s.py") == plain
    assert nestwise("run", "-W", "error", "-B", "s.py") == python("-W", "error", "-B", "s.py")


def test_modules_without_sites_are_remembered(place):
    write("m.py", "x = 1\nfor_ = 2\n")
    write("s.py", "import m\nprint(m.x)")
    same("s.py")
    names = [n for _, _, names in os.walk("cache") for n in names]
    assert [n for n in names if not n.startswith("speed-")] == ["plain"]
    write("m.py", MODULE + "x = 3\n")
    write("s.py", "import m\nprint(m.x, m.HOOKED)")
    assert nestwise("run", "s.py")[1] == b"3 True\n"


def test_reload(place):
    write("m.py", MODULE)
    write("s.py", "import m, importlib\nprint(importlib.reload(m).total(4), m.HOOKED)")
    assert nestwise("run", "s.py")[1] == b"6 True\n"


API = """
import nestwise, sys
nestwise.enable()
import m
nestwise.disable()
import n
print(m.HOOKED, n.HOOKED, m.total(4), len(nestwise.report()["nests"]))
"""


def test_enable_and_disable(place):
    write("m.py", MODULE)
    write("n.py", MODULE)
    write("s.py", API)
    assert python("s.py")[1].startswith(b"True False 6 ")


JIT = '''
import nestwise
def hooked(f): return any(callable(c) for c in f.__code__.co_consts)
def outer(k):
    def scaled(n, m=2):
        """Doc."""
        s = 0
        for i in range(n):
            s += i * k
        return s * m
    before = scaled
    after = nestwise.jit(scaled)
    return after, before is after
f, same = outer(10)
print(f(4), f(4, 1), same, hooked(f), f.__qualname__, f.__doc__, f.__defaults__)
class A:
    __n = 3
    @nestwise.jit
    def run(self):
        for i in range(self.__n):
            last = i
        return last
    @staticmethod
    @nestwise.jit
    def stat(n):
        for i in range(n): pass
        return i
print(A().run(), hooked(A.run), A.stat(3))
@nestwise.jit()
def g(n):
    for i in range(n): pass
    return i
print(g(3), hooked(g))
space = {"__name__": "made"}
exec("def h(n):\\n  for i in range(n): pass\\n  return i", space)
print(nestwise.jit(space["h"])(3), nestwise.report()["notes"])
try:
    nestwise.jit(3)
except TypeError as e:
    print(e)
'''


def test_jit(place):
    write("s.py", JIT)
    code, out, err = python("s.py")
    assert (code, err) == (0, b"")
    assert out.decode().splitlines() == [
        "120 60 True True outer.<locals>.scaled Doc. (2,)",
        "2 True 2",
        "2 True",
        "2 ['made.h stays in CPython: its source is not available']",
        "nestwise.jit takes a function, not int",
    ]
    assert nestwise("run", "s.py")[:2] == (code, out)


SOURCES = """
from nestwise.rewriting.sources import function_text
def plain(x, y=2):
    z = x * y
    return z
sq = lambda x: x * x
two = (lambda x: x, lambda x: x + 1)
def deco(f): return f
@deco
def decorated(x): return x
def gen(): yield 1
async def co(): return 1
def outer(k):
    def inner(x):
        return x + k
    return inner
for f in (plain, sq, two[0], decorated, gen, co, outer(3), len, 3):
    text = function_text(f)
    print(text and tuple(text))
"""


def test_function_text(place):
    write("s.py", SOURCES)
    expected = [
        ("def plain(x, y=2):\n    z = x * y\n    return z\n", 3, False, ["x", "y", "z"], []),
        ("_ = (lambda x: x * x)\n", 6, False, ["x"], []),
        None,
        ("def decorated(x): return x\n", 10, False, ["x"], []),
        None,
        None,
        ("    def inner(x):\n        return x + k\n", 14, True, ["x"], ["k"]),
        None,
        None,
    ]
    for run in (python, lambda *w: nestwise("run", *w)):
        _, out, err = run("s.py")
        assert (out.decode().splitlines(), err) == ([repr(e) for e in expected], b"")


def test_function_text_of_an_edited_file(place):
    write("m.py", "def f(x):\n    return x\n")
    write(
        "s.py",
        textwrap.dedent("""
        import m, os
        from nestwise.rewriting.sources import function_text
        with open("m.py", "w") as file:
            file.write("def f(x):\\n    return x + 1\\n")
        print(function_text(m.f))
    """),
    )
    assert python("s.py")[1] == b"None\n"


def test_start_up_imports(place):
    write("s.py", "import sys\nprint(sorted(sys.modules))")
    plain = set(eval(python("s.py")[1]))
    ours = set(eval(nestwise("run", "s.py")[1]))
    heavy = {"ast", "argparse", "numpy", "re", "json", "symtable", "inspect", "nestwise._core"}
    through_m = {"re", "inspect"}  # what python -m nestwise itself may bring
    assert not (ours - plain) & (heavy - through_m)


NUMPY = """
import os, subprocess, sys, time
import numpy

time.sleep(0.2)
told = "import os; print(os.environ.get('OPENBLAS_THREAD_TIMEOUT'))"
print(os.environ.get("OPENBLAS_THREAD_TIMEOUT"))
print(subprocess.run([sys.executable, "-c", told], capture_output=True, text=True).stdout)
print(type(numpy.__loader__), numpy.__spec__.loader is numpy.__loader__)
if len(sys.argv) > 1:
    others = [t for t in os.listdir("/proc/self/task") if int(t) != os.getpid()]
    spent = [open(f"/proc/self/task/{t}/schedstat").read().split()[0] for t in others]
    print(sum(map(int, spent)) / 1e6)
"""


def test_threads_of_the_blas_do_not_occupy_the_cores(place):
    write("s.py", NUMPY)
    same("s.py")
    same("s.py", OPENBLAS_THREAD_TIMEOUT="20")
    if not os.path.exists("/proc/thread-self/schedstat"):
        pytest.skip("nothing tells what threads have taken")
    plain, ours = (
        float(run[1].split()[-1]) for run in (python("s.py", "x"), nestwise("run", "s.py", "x"))
    )
    if plain < 40.0:
        pytest.skip("this NumPy's threads wait in peace")
    assert ours < 20.0, f"{ours} ms, {plain} by themselves"
