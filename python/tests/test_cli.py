"""`nestwise run` against python itself, by processes."""

import json
import os
import signal
import subprocess
import sys

import pytest
from processes import LOOP, REAL, environment, nestwise, python, same, write

SCRIPTS = {
    "empty": "",
    "prints": LOOP + "print(total(10))",
    "argv": "import sys\nprint(sys.argv, sys.path[0], sys.orig_argv[1:], __file__)",
    "names": "print([(k, type(v).__name__) for k, v in list(globals().items())])",
    "values": "print(__name__, __file__, __spec__, __package__, __doc__, __builtins__)",
    "docstring": "'''Doc.'''\n" + LOOP + "print(__doc__, __annotations__ if 0 else '')",
    "main module": "import sys\nm = sys.modules['__main__']\nprint(m.__dict__ is globals(), m)",
    "stdin": "import sys\nprint(sys.stdin.read())\nprint(sys.stdin.isatty())",
    "exit 3": "import sys\nsys.exit(3)",
    "exit text": "import sys\nsys.exit('gone')",
    "exit none": "raise SystemExit",
    "exit object": "raise SystemExit([1, 2])",
    "exit in atexit": "import atexit, sys\natexit.register(print, 'bye')\nsys.exit(4)",
    "os._exit": "import os\nos._exit(7)",
    "error": LOOP + "total('x')",
    "error in a loop": "def f(a):\n    for i in range(9):\n        a[i] += 1\nf([1, 2, 3])",
    "chained": """
try:
    1 / 0
except ZeroDivisionError as e:
    raise ValueError('again') from e
""",
    "context": "try:\n    [][1]\nexcept IndexError:\n    {}[2]",
    "excepthook": """
import sys, traceback
def hook(t, v, tb):
    print('hook', t, v, len(traceback.extract_tb(tb)), sys.excepthook is hook)
sys.excepthook = hook
def f(): raise ValueError(1)
f()
""",
    "broken excepthook": "import sys\nsys.excepthook = 3\n1/0",
    "last traceback": """
import atexit, sys, traceback
atexit.register(lambda: print(len(traceback.extract_tb(sys.last_traceback))))
1/0
""",
    "default excepthook stays": "import sys\nprint(sys.excepthook is sys.__excepthook__)",
    "exception group": "import sys\nif sys.version_info > (3, 11):\n"
    "    raise ExceptionGroup('g', [ValueError(1), TypeError(2)])",
    "raising excepthook": """
import sys
def hook(*a): raise KeyError('in hook')
sys.excepthook = hook
1/0
""",
    "no excepthook": "import sys\ndel sys.excepthook\n1/0",
    "exit in excepthook": """
import sys
sys.excepthook = lambda *a: sys.exit(9)
1/0
""",
    "syntax error": "x = 1\ndef f(:\n    pass",
    "indentation": "if 1:\nx = 2",
    "unclosed": "x = (1,\ny = 2\n",
    "unclosed string": "x = '''abc\n\n",
    "tabs": "if 1:\n\tx = 1\n        y = 2\n",
    "late syntax error": "def f():\n    return 1\nreturn 2",
    "break outside": "break",
    "warning": LOOP + "x = 1\nprint(x is 1, total(3))",
    "warning in a loop": "for i in range(2):\n    print(i is 1)",
    "escape warning": "for i in range(2):\n    print('\\d')",
    "warns once": """
import warnings
def f():
    warnings.warn('hello', UserWarning)
for i in range(3):
    f()
""",
    "threads at exit": """
import threading, time
def late():
    time.sleep(0.2)
    for i in range(2):
        print('late', i)
threading.Thread(target=late).start()
print('main done')
""",
    "pickle": """
import pickle
class P:
    def __init__(self, x): self.x = x
print(pickle.dumps(P(3)), pickle.loads(pickle.dumps(P(4))).x)
""",
    "flags": "import sys\nprint(sys.flags, __debug__, sys._xoptions, sys.warnoptions)",
    "inspect": LOOP + "import inspect\nprint(inspect.getsource(total), inspect.getfile(total))",
    "meta": "import sys\nprint(__loader__.__class__, __loader__.name, __loader__.path)",
    "annotations": "x: int = 3\nprint(__annotations__)",
    "future": "from __future__ import annotations\n"
    + LOOP
    + "def g(x: undefined): pass\nprint(g.__annotations__, total(4))",
    "latin": "# -*- coding: latin-1 -*-\nfor i in range(2):\n    print('\\xe9'.encode())",
    "carriage": "for i in range(2):\r\n    print(i)\r\n",
    "form feed": "x = 1\n\x0cfor i in range(2):\n    x += i\nprint(x)",
    "line separators": "s = '''a\u2028b\x1cc'''\nfor i in range(2):\n    print(i, s)",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts(place, name):
    write("dir/script.py", "")
    with open("dir/script.py", "w", encoding="utf-8", newline="") as file:
        file.write(SCRIPTS[name])
    same("dir/script.py", "a", "-b", "--report", stdin=b"some input")


@pytest.mark.parametrize(
    "data",
    [
        b"x = 1\n\xe9 = 2\n",
        b"x = 1\0\n",
        b"# coding: nonsense\n",
        b"\xef\xbb\xbfprint(1)\n",
        b"# coding: latin-1\nprint('\xe9'.encode())\nfor i in range(2): print('\xe9' * i)\n",
    ],
)
def test_strange_bytes(place, data):
    with open("s.py", "wb") as file:
        file.write(data)
    same("s.py")


def test_not_there(place):
    os.mkdir("folder")
    for words in (["nope.py"], ["folder"], ["-m", "nope"], ["-m", "nope.sub"], ["/nope/x"]):
        code, out, err = same(*words)
        assert code != 0 and b"Traceback" not in err


def test_unreadable(place):
    write("s.py", "print(1)")
    os.chmod("s.py", 0)
    if os.geteuid():
        same("s.py")


def test_program_forms(place):
    write("app/__main__.py", "import sys, helper\nprint(sys.argv, sys.path[0], __spec__.name)")
    write("app/helper.py", LOOP + "print(__name__, total(5))")
    write("pkg/__init__.py", "print('init')")
    write("pkg/__main__.py", "import sys\nprint(sys.argv, __spec__.name, __package__)\n" + LOOP)
    write("pkg/mod.py", LOOP + "import sys\nprint(sys.argv, __spec__.name, total(3))\n1/0")
    same("app", "x")
    same("-m", "pkg", "x", "-y")
    same("-m", "pkg.mod", "x")
    same("-c", "import sys\nprint(sys.argv, sys.path[0], __name__)\nfor i in 1, 2: print(i)", "q")
    same("-c", "1/0")
    same("-c", "x = (")
    same("-", "z", stdin=b"import sys\nprint(sys.argv)\nfor i in range(2): print(i)\n")
    import zipfile

    with zipfile.ZipFile("app.zip", "w") as archive:
        archive.write("app/__main__.py", "__main__.py")
        archive.write("app/helper.py", "helper.py")
    same("app.zip", "x")
    os.symlink("app/helper.py", "link.py")
    same("link.py")


ASKED = """
import atexit, sys
m = sys.modules["__main__"]
print(__file__, __cached__, __loader__, __spec__, m, sys.argv, sys.path[0])
print([name for name in globals() if name != "m"], dir(m), repr(sys.stdin.read()))
atexit.register(lambda: print([name for name in globals() if name[:2] == "__"]))
for k in range(3):
    k += 1
"""
FROM_STDIN = {
    "names": ASKED,
    "error": ASKED + "def f():\n    1 / 0\nf()",
    "exit": ASKED + "sys.exit(3)",
    "exit in excepthook": ASKED + "sys.excepthook = lambda *a: sys.exit(4)\n1 / 0",
    "raising excepthook": ASKED + "def hook(*a): raise KeyError\nsys.excepthook = hook\n1 / 0",
    "no excepthook": ASKED + "del sys.excepthook\n1 / 0",
    "names gone": ASKED + "del __file__, __cached__",
    "interrupt": ASKED + "raise KeyboardInterrupt",
    "empty": "",
    "warning": "for i in range(2):\n    print(1 is 1, '\\d')",
    "syntax error": "x = 1\ndef f(:\n    pass",
    "indentation": "x = 1\n  y = 2\n",
    "unclosed": "x = (",
    "a null byte": "x = '\0'",
    "more than a pipe holds": "x = 12345678\n" * 9000 + "y = (",
    "another encoding": b"# coding: latin-1\nfor i in 1, 2: print('\xe9'.encode())\n",
    "utf-8": b"# coding: utf-8\nfor i in 1, 2: print('\xc3\xa9'.encode())\n",
    "no encoding": b"# coding: nonsense\n",
    "not utf-8": b"x = 1\n\xff = 2\n",
}


@pytest.mark.parametrize("name", FROM_STDIN)
def test_from_stdin(place, name):
    program = FROM_STDIN[name]
    program = program if isinstance(program, bytes) else program.encode()
    same("-", "z", stdin=program)
    # From a file CPython reads encodings that it cannot read from a pipe.
    with open("s.txt", "wb") as file:
        file.write(program)
    ends = []
    for words in (["-"], ["-m", "nestwise", "run", "-"]):
        with open("s.txt", "rb") as file:
            done = subprocess.run(
                [sys.executable, *words],
                stdin=file,
                capture_output=True,
                timeout=120,
                env=environment(PYTHON_COLORS="0"),
                check=False,
            )
        ends.append((done.returncode, done.stdout, done.stderr))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("name", ["names", "error", "exit", "exit in excepthook", "no excepthook"])
def test_names_of_a_script_go_when_it_has_run(place, name):
    write("s.py", FROM_STDIN[name].replace("__cached__, __loader__", "__cached__"))
    same("s.py")


def test_compiled_script(place):
    import py_compile

    write("s.py", LOOP + "print(total(4), __file__)")
    py_compile.compile("s.py", "s.pyc")
    same("s.pyc", "1")


@pytest.mark.parametrize(
    "flags",
    [
        ("-O",),
        ("-OO",),
        ("-W", "error"),
        ("-Wignore",),
        ("-X", "utf8"),
        ("-B", "-u"),
        ("-E",),
        ("-s",),
        ("-bb",),
    ],
)
def test_python_flags(place, flags):
    write(
        "s.py",
        LOOP
        + """
import sys
def f(): "doc"
try:
    assert 0
except AssertionError:
    print("assert")
print(f.__doc__, sys.flags, sys.warnoptions, sys._xoptions, total(4), sys.argv, sys.path[0])
for i in range(2):
    print(i is 1)
""",
    )
    if flags == ("-bb",):
        assert nestwise("run", "-bb", "s.py")[0] == 2
    elif flags == ("-E",) and not REAL:
        pytest.skip("the stand-in for the native part comes by PYTHONPATH")
    else:
        same("s.py", "1", flags=flags)


@pytest.mark.parametrize(
    "words",
    [
        ["frobnicate"],
        ["run"],
        ["run", "--device", "tpu", "s.py"],
        ["run", "--threads=x", "s.py"],
        ["run", "--fp", "loose", "s.py"],
        ["run", "--report=xml", "s.py"],
        ["run", "--device"],
        ["run", "--profile", "nope.json", "s.py"],
        ["run", "--frob", "s.py"],
        ["run", "-q", "s.py"],
        ["run", "-m"],
        ["oracle", "x"],
        ["verify"],
        ["verify", "--sample", "0", "s.py"],
        ["verify", "--only", "s.py:x:1", "s.py"],
        ["run", "--sample", "3", "s.py"],
        ["s.py"],
        ["run", "--threads", "0", "s.py"],
        ["explain"],
        ["explain", "nope.py"],
        ["explain", "--sizes=n=", "s.py"],
        ["explain", "--after=magic", "s.py"],
        ["run", "--no-cache=1", "s.py"],
    ],
)
def test_bad_command_lines(place, words):
    write("s.py", "print('ran')")
    code, out, err = nestwise(*words)
    assert (code, out, err.count(b"\n")) == (2, b"", 1)
    assert err.startswith(b"nestwise: ")


def test_bad_environment(place):
    write("s.py", "print('ran')")
    for name, value in (("DEVICE", "tpu"), ("THREADS", "-1"), ("FP", "x"), ("REPORT", "x")):
        code, out, err = nestwise("run", "s.py", **{f"NESTWISE_{name}": value})
        assert (code, out, err.count(b"\n")) == (2, b"", 1)
        assert f"NESTWISE_{name}".encode() in err


def test_help_and_version():
    assert nestwise("--help")[0] == 0
    code, out, _ = nestwise("--version")
    assert code == 0 and out.startswith(b"nestwise ")


def test_keyboard_interrupt(place):
    write("s.py", "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nx = 1\n" * 3)
    code, _, err = same("s.py")
    assert code == -signal.SIGINT
    assert err.endswith(b"KeyboardInterrupt\n")


def test_broken_pipe(place):
    write("s.py", "for i in range(100000):\n    print(i)\n")
    for program in (["s.py"], ["-m", "nestwise", "run", "s.py"]):
        child = subprocess.Popen(
            [sys.executable, *program],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        child.stdout.readline()
        child.stdout.close()
        err = child.stderr.read()
        child.stderr.close()
        assert child.wait() == 1
        assert b"BrokenPipeError" in err and b"nestwise" not in err


def test_report(place):
    write("s.py", LOOP + "print(total(3))\nwhile False:\n    del x\n")
    code, out, err = nestwise("run", "--report", "s.py")
    assert (code, out) == (0, b"3\n") and b"s.py:4 total" in err and b"\033" not in err
    code, out, err = nestwise("run", "--report=json", "--report-file=r.json", "s.py")
    assert (code, out, err) == (0, b"3\n", b"")
    with open("r.json", encoding="utf-8") as file:
        data = json.load(file)
    assert data["nests"][0]["line"] == 4 and data["refused"][0]["line"] == 8
    code, _, err = nestwise("run", "--report-file", "no/such/folder/r", "s.py")
    assert code == 0 and err.count(b"\n") == 1
    write("e.py", "import sys\nfor i in range(3):\n    j = i\nsys.exit(5)")
    code, _, err = nestwise("run", "s.py", NESTWISE_REPORT="text")
    assert code == 0 and b"s.py:4" in err
    code, _, err = nestwise("run", "--report", "e.py")
    assert code == 5 and b"e.py:2" in err


def test_cache(place):
    write("s.py", LOOP + "print(total(3))")
    nestwise("run", "s.py")
    assert not os.path.exists("__pycache__")
    entries = [os.path.join(d, n) for d, _, names in os.walk("cache") for n in names]
    assert entries
    for path in entries:  # damaged ones are made anew
        with open(path, "r+b") as file:
            file.seek(40)
            file.write(b"\xff" * 8)
    same("s.py")
    with open("cache2", "w"):
        pass
    code, out, err = nestwise("run", "s.py", NESTWISE_CACHE_DIR="cache2")
    assert (code, out, err) == (0, b"3\n", b"")
    code, out, _ = nestwise("run", "--no-cache", "s.py", NESTWISE_CACHE_DIR="cache3")
    assert code == 0 and not os.path.exists("cache3")


@pytest.mark.skipif(not REAL, reason="needs the native part")
def test_explain(place):
    write("s.py", LOOP + "for x in []:\n    del x\n")
    code, out, _ = nestwise("explain", "s.py")
    assert code == 0 and b"s.py:4: for i: reduction, sum of `s`" in out
    assert b"s.py:7: for: stays in CPython" in out
    code, out, _ = nestwise("explain", "--json", "s.py")
    told = json.loads(out)
    assert [nest["line"] for nest in told["nests"]] == [4]
    assert [refusal["line"] for refusal in told["refused"]] == [7]
    code, out, err = nestwise("explain", "--help")
    assert code == 0 and b"--sizes" in out and err == b""
    write("bad.py", "def (")
    code, out, err = nestwise("explain", "bad.py")
    assert code == 2 and err.count(b"\n") == 1


WORKERS = (
    LOOP
    + """
import multiprocessing, sys
class Work:
    def __init__(self, n): self.n = n
def work(w):
    import __main__
    code = sys.modules[work.__module__].total.__code__
    return total(w.n), any(callable(c) for c in code.co_consts)
if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(2) as pool:
        print(pool.map(work, [Work(3), Work(4)]))
"""
)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("form", [["s.py"], ["-m", "s"]])
def test_multiprocessing(place, method, form):
    write("s.py", WORKERS)
    code, out, err = nestwise("run", *form, method)
    assert (code, err) == (0, b"")
    assert out == b"[(3, True), (6, True)]\n"
    assert python(*form, method)[1] == b"[(3, False), (6, False)]\n"


def test_multiprocessing_error(place):
    write("s.py", WORKERS.replace("return total", "1/0; return total"))
    for method in ("spawn", "fork"):
        code, out, err = nestwise("run", "s.py", method)
        assert code == 1 and b"src/nestwise" not in err and b"s.py" in err


def test_pytest_module(place):
    write("under.py", LOOP + "HOOKED = any(callable(c) for c in total.__code__.co_consts)")
    write(
        "test_it.py",
        """
        import under
        def test_one():
            assert under.total(4) == 6 and under.HOOKED
        def test_two():
            for i in range(3):
                assert i < 2, "rewritten assertion"
    """,
    )
    code, out, _ = nestwise("run", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert code == 1 and b"1 failed, 1 passed" in out
    assert b"assert 2 < 2" in out


def test_functions_pickle_by_name(place):
    write("s.py", LOOP + "import pickle\nprint(pickle.dumps(total))")
    same("s.py")


def test_debugger_sees_plain_code(place):
    write("m.py", LOOP + "HOOKED = any(callable(c) for c in total.__code__.co_consts)")
    write("s.py", "import sys\nsys.settrace(lambda *a: None)\nimport m\nprint(m.HOOKED)")
    same("s.py")


def test_a_reader_that_has_seen_enough_is_no_error():
    words = (
        f"{sys.executable} -m nestwise explain --help; {sys.executable} -m nestwise profile show"
    )
    done = subprocess.run(
        f"({words}) | head -1", shell=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.count("\n") == 1 and not done.stderr
