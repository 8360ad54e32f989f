"""Programs run in processes of their own, by python and by nestwise."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(os.path.dirname(HERE), "src")
CHECKOUT = os.path.dirname(os.path.dirname(HERE))
# The cache of tests that run in the checkout.
ELSEWHERE = tempfile.TemporaryDirectory(prefix="nestwise-tests-")

try:
    from nestwise import _core  # noqa: F401

    REAL = True
except ImportError:
    REAL = False


def cache():
    """The cache folder: below the working folder, but never in the checkout."""
    inside = os.path.commonpath([os.getcwd(), CHECKOUT]) == CHECKOUT
    return ELSEWHERE.name if inside else os.path.abspath("cache")


def environment(**extra):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NESTWISE", "FAKE"))}
    paths = [] if REAL else [SOURCE, os.path.join(HERE, "fake_site")]
    paths += [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    kept.update(PYTHONPATH=os.pathsep.join(paths), NESTWISE_CACHE_DIR=cache())
    kept.update(extra)
    return kept


def write(name, text):
    os.makedirs(os.path.dirname(os.path.abspath(name)), exist_ok=True)
    with open(name, "w", encoding="utf-8") as file:
        file.write(textwrap.dedent(text))


def python(*words, stdin=None, **extra):
    return _run([sys.executable, *words], stdin, extra)


def nestwise(*words, stdin=None, **extra):
    return _run([sys.executable, "-m", "nestwise", *words], stdin, extra)


def _run(command, stdin, extra):
    # A terminal's colours would depend on who runs the tests.
    done = subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        timeout=120,
        env=environment(PYTHON_COLORS="0", **extra),
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def same(*words, stdin=None, flags=(), **extra):
    expected = python(*flags, *words, stdin=stdin, **extra)
    for _ in range(2):  # the second time from the cache
        assert nestwise("run", *flags, *words, stdin=stdin, **extra) == expected
    return expected


LOOP = """
def total(n):
    s = 0
    for i in range(n):
        s += i
    return s
"""


def told(source, *options):
    """What explain says of a script, as JSON."""
    write("s.py", source)
    code, out, err = nestwise("explain", "--json", *options, "s.py")
    assert (code, err) == (0, b""), err
    return json.loads(out)


def all_loops(answer):
    return [loop for nest in answer["nests"] for loop in nest["loops"]]
