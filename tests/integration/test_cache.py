"""Whatever happens to the cache folder, the answer is python's and nothing else is said."""

import _imp
import marshal
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from differential import DEVICES, environment, python

PROGRAM = """\
import json
import os
import numpy as np

def smooth(a, b, n):
    for k in range(n):
        for i in range(1, len(a) - 1):
            b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0
        for i in range(len(a)):
            a[i] = b[i]

def count(xs):
    found = 0
    for x in xs:
        found += x % 3 == 1
    return found

def horner(cs, x):
    s = 0.0
    for c in cs:
        s = s * x + c
    return s

a, b = np.arange(50.0) % 7, np.zeros(50)
smooth(a, b, 5)
print(a.sum(), count(list(range(100))), horner([1.5, 2.5, -0.5] * 9, 0.75))
"""
KERNELS = 3
CODE_MAGIC = b"nestwise-code-1\n"
CODE_KEY = 0x6E657374


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture(scope="module")
def expected(program):
    done = python(program)
    assert done.code == 0
    return done


@pytest.fixture(scope="module")
def filled(program, expected, tmp_path_factory):
    """A cache folder as a run leaves it."""
    cache = tmp_path_factory.mktemp("filled") / "cache"
    check(program, expected, cache, compiled=KERNELS)
    check(program, expected, cache, compiled=0)
    assert len(kernels(cache)) == len(plans(cache)) == KERNELS and len(codes(cache)) == 1
    return cache


def words(program, report=None):
    command = [sys.executable, "-m", "nestwise", "run", *DEVICES["serial"]]
    if report is not None:
        command += ["--report=json", "--report-file", str(report)]
    return [*command, str(program)]


def check(program, expected, cache, compiled=None, env=(), **options):
    """A run tells what python tells, and compiles so many kernels."""
    import json

    with open(program.with_name("report.json"), "w+") as report:
        done = subprocess.run(
            words(program, report.name if compiled is not None else None),
            env=environment(cache) | dict(env),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            **options,
        )
        assert (done.returncode, done.stdout, done.stderr) == expected[:3]
        if compiled is not None:
            found = json.load(report)
            assert not found["panics"]
            assert sum(nest["launches"] for nest in found["nests"]) == KERNELS
            assert sum(nest["kernels_compiled"] for nest in found["nests"]) == compiled


def kernels(cache):
    return sorted(p for p in (cache / "kernels").glob("*/*"))


def plans(cache):
    return sorted(p for p in (cache / "plans").glob("*/*") if len(p.name) == 64)


def codes(cache):
    return sorted(p for p in (cache / "code").glob("*/*") if len(p.name) == 16)


def partial(cache):
    return [p for p in cache.rglob("*") if p.suffix in (".partial", ".tmp")]


def flip(at):
    def damage(path):
        data = bytearray(path.read_bytes())
        data[int(at * (len(data) - 1))] ^= 0x40
        path.write_bytes(data)

    return damage


def truncate(share):
    return lambda path: os.truncate(path, int(path.stat().st_size * share))


def folder(path):
    path.unlink()
    path.mkdir()


def unreadable(path):
    path.chmod(0)


def garbage(path):
    path.write_bytes(random.Random(1).randbytes(path.stat().st_size))


def dangling(path):
    path.unlink()
    path.symlink_to(path.with_name("nowhere"))


def loop(path):
    path.unlink()
    path.symlink_to(path)


DAMAGES = {
    "first byte": flip(0),
    "hash": flip(0.001),
    "middle": flip(0.5),
    "last byte": flip(1),
    "half": truncate(0.5),
    "a few bytes": truncate(0.002),
    "empty": truncate(0),
    "a folder": folder,
    "garbage": garbage,
    "dangling link": dangling,
    "link to itself": loop,
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_entries_are_made_anew(name, program, expected, filled, tmp_path):
    cache = tmp_path / "cache"
    shutil.copytree(filled, cache)
    for path in (*kernels(cache), *plans(cache), *codes(cache)):
        DAMAGES[name](path)
    check(program, expected, cache, compiled=KERNELS)
    # A folder stays where it is; what is in the way is nobody's entry.
    check(program, expected, cache, compiled=KERNELS if DAMAGES[name] is folder else 0)
    assert not partial(cache)


def written(paths):
    return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in paths}


def test_plans_are_read_back(program, expected, filled, tmp_path):
    cache = tmp_path / "cache"
    shutil.copytree(filled, cache)
    before = written(plans(cache))
    check(program, expected, cache, compiled=0)
    assert written(plans(cache)) == before
    # Without the plans the kernels are still found.
    for path in before:
        path.unlink()
    check(program, expected, cache, compiled=0)
    after = written(plans(cache))
    assert {p: size for p, (_, size) in after.items()} == {p: s for p, (_, s) in before.items()}
    # Another line number is another plan, of which the lines are told.
    moved = tmp_path / "program.py"
    moved.write_text("\n" + PROGRAM)
    check(moved, expected, cache)
    assert len(plans(cache)) == 2 * KERNELS


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable_entries(program, expected, filled, tmp_path):
    cache = tmp_path / "cache"
    shutil.copytree(filled, cache)
    for path in (*kernels(cache), *plans(cache), *codes(cache)):
        unreadable(path)
    check(program, expected, cache, compiled=KERNELS)


BODIES = {
    "nothing": b"",
    "garbage": random.Random(2).randbytes(5000),
    "too short": marshal.dumps(("name", b"source")),
    "a number": marshal.dumps(7),
    "cut off": marshal.dumps((PROGRAM, "x" * 500))[:300],
}


@pytest.mark.parametrize("name", BODIES)
def test_nonsense_with_a_right_checksum(name, program, expected, filled, tmp_path):
    cache = tmp_path / "cache"
    shutil.copytree(filled, cache)
    (path,) = codes(cache)
    body = BODIES[name]
    path.write_bytes(CODE_MAGIC + _imp.source_hash(CODE_KEY, body) + body)
    check(program, expected, cache, compiled=0)


def test_another_programs_entry_is_not_taken(program, expected, filled, tmp_path):
    """Of the same name, as a collision of hashes would have it."""
    cache = tmp_path / "cache"
    shutil.copytree(filled, cache)
    (path,) = codes(cache)
    body = marshal.dumps((str(program), b"print(1)\n", compile("print(1)", "p", "exec"), [], []))
    path.write_bytes(CODE_MAGIC + _imp.source_hash(CODE_KEY, body) + body)
    check(program, expected, cache, compiled=0)


@pytest.mark.parametrize("place", ["file", "below a file", "/proc/nestwise", "/dev/null"])
def test_a_folder_that_cannot_be(place, program, expected, tmp_path):
    file = tmp_path / "file"
    file.write_text("mine")
    places = {"file": file, "below a file": file / "cache"}
    check(program, expected, places.get(place, Path(place)), compiled=KERNELS)
    assert file.read_text() == "mine"


@pytest.mark.parametrize("name", ["a b\t'\"\n$", "ü é 𝔵", os.fsdecode(b"\xff\xfe"), "-", "x" * 250])
def test_odd_names(name, program, expected, tmp_path):
    cache = tmp_path / name
    check(program, expected, cache, compiled=KERNELS)
    check(program, expected, cache, compiled=0)
    assert len(kernels(cache)) == KERNELS


@pytest.mark.parametrize("home", [None, "", "/proc/nobody", "relative"])
def test_without_a_home(home, program, expected, tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    extra = {"NESTWISE_CACHE_DIR": ""}
    if home is not None:
        extra["HOME"] = home
    else:
        # Else the user's own home would be looked up, and be written to.
        extra["XDG_CACHE_HOME"] = "/proc/nothing"
    check(program, expected, tmp_path, env=extra, cwd=tmp_path)


@pytest.mark.parametrize("limit", [0, 100, 3000])
def test_a_full_disk(limit, program, expected, tmp_path):
    """No file may grow beyond `limit`, as on a disk that fills up in the middle of a write."""

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    cache = tmp_path / "cache"
    check(program, expected, cache, preexec_fn=limited)
    assert not partial(cache)
    assert all(p.stat().st_size > 0 for p in kernels(cache))
    check(program, expected, cache, compiled=KERNELS - len(kernels(cache)))


def test_killed_while_writing(program, expected, tmp_path):
    """At any moment of the first run; what is left over does not stay."""
    cache = tmp_path / "cache"
    begun = time.perf_counter()
    check(program, expected, tmp_path / "other", compiled=KERNELS)
    length = time.perf_counter() - begun
    times = random.Random(3)
    killed = 0
    for _ in range(12):
        process = subprocess.Popen(
            words(program),
            env=environment(cache),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(length * times.uniform(0.3, 1.0))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.wait()
        for kind in ("kernels", "quick"):
            shutil.rmtree(cache / kind, ignore_errors=True)
    assert killed > 3
    check(program, expected, cache, compiled=KERNELS)
    # As if killed in the middle of writing, long ago and just now.
    long_ago = time.time() - 7200
    abandoned = [kernels(cache)[0].parent / ".1.0.partial", codes(cache)[0].with_suffix(".1.tmp")]
    for path in abandoned:
        path.write_bytes(b"nestwise")
        os.utime(path, (long_ago, long_ago))
    recent = kernels(cache)[0].parent / ".1.1.partial"
    recent.write_bytes(b"nestwise")
    another = tmp_path / "another.py"
    another.write_text(PROGRAM.replace("/ 3.0", "/ 4.0"))
    check(another, python(another), cache, compiled=1)
    assert partial(cache) == [recent]


@pytest.mark.parametrize("count", [2, 8])
def test_processes_that_start_together(count, program, expected, tmp_path):
    cache = tmp_path / "cache"
    begin = {"env": environment(cache), "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    all_ = [subprocess.Popen(words(program), text=True, **begin) for _ in range(count)]
    for process in all_:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out, err) == expected[:3]
    assert not partial(cache)
    check(program, expected, cache, compiled=0)


def test_the_machines_speed_is_measured_a_few_times(program, expected, tmp_path):
    cache = tmp_path / "cache"
    check(program, expected, cache, env={"NESTWISE_PROFILE": "default"})
    assert not list(cache.glob("speed-*"))
    told = []
    for _ in range(6):
        check(program, expected, cache)
        [path] = cache.glob("speed-*")
        interpreted, multiplied, times = map(float, path.read_text().split())
        told.append((interpreted, multiplied, times))
    assert [times for *_, times in told] == [1, 2, 3, 4, 4, 4]
    # The fastest counts: nanoseconds of an iteration of CPython's and of a multiplication.
    assert all(b[0] <= a[0] and b[1] <= a[1] for a, b in pairwise(told))
    assert 1 < told[-1][0] < 2000 and 0.1 < told[-1][1] < 20
    # What is no such file is measured anew.
    path.write_text("nonsense")
    check(program, expected, cache)
    assert path.read_text().split()[2] == "1"
