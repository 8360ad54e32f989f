"""Changed sources through the front end, changed programs against CPython (mutants.py).

`make robust` does far more of it.
"""

import random
import subprocess
import sys
from pathlib import Path

import mutants
import pytest
from differential import environment, python

SOURCES = 400
PROGRAMS = 8
# Whatever the text, of processor time: the longest of 400 takes a fraction of it.
SLOWEST_S = 40

LOOK = """\
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import mutants
mutants.configure("serial", sys.argv[2])
texts = mutants.corpus(whole=False)
print(*mutants.look_at_many(texts, 1, int(sys.argv[3]), Path(sys.argv[4]))[:4])
"""

RUN = """\
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import mutants
failures = mutants.run_programs(1, int(sys.argv[3]), sys.argv[2], Path(sys.argv[4]))
print(*failures, sep="\\n")
sys.exit(bool(failures))
"""


def ask(text, count, place, tmp_path):
    words = [sys.executable, "-c", text, str(Path(mutants.__file__).parent)]
    words += [str(tmp_path / "cache"), str(count), str(place)]
    return subprocess.run(
        words,
        env=environment(tmp_path / "cache"),
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )


def test_every_text_is_a_nest_or_a_refusal(tmp_path):
    current = tmp_path / "current.py"
    done = ask(LOOK, SOURCES, current, tmp_path)
    if done.returncode:
        source = current.read_text(encoding="utf-8", errors="replace")[:3000]
        pytest.fail(f"{done.returncode}: {done.stderr[-3000:]}\n{source}", pytrace=False)
    count, compiled, sites, slowest = map(float, done.stdout.split())
    assert compiled > count / 4 and sites > count / 8
    assert slowest < SLOWEST_S


def test_changed_programs_run_alike(tmp_path):
    done = ask(RUN, PROGRAMS, tmp_path, tmp_path)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-3000:]


def uncompiled(count):
    """Sources that CPython does not compile, each for another reason than the one before."""
    texts = mutants.corpus(whole=False)
    number, said = 0, set()
    while len(said) < count:
        source = mutants.mutant(texts, random.Random(f"uncompiled {number}"))
        number += 1
        error = mutants.compiles(source).error
        if isinstance(error, (SyntaxError, ValueError)) and str(error)[:18] not in said:
            said.add(str(error)[:18])
            yield source


def test_errors_read_the_same(tmp_path):
    for number, source in enumerate(uncompiled(10)):
        program = tmp_path / f"program{number}.py"
        program.write_bytes(source)
        expected = python(program)
        words = [sys.executable, "-m", "nestwise", "run", str(program)]
        env = environment(tmp_path / "cache")
        done = subprocess.run(words, env=env, cwd=tmp_path, capture_output=True, check=False)
        got = done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "backslashreplace")
        assert got == expected[:3], source.decode("utf-8", "replace")
