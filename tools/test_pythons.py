"""The differential tests under every CPython of this machine and under old and new NumPy.

    test_pythons.py WHEEL [--only 3.13 ...] [--tests PYTEST-ARGUMENT ...]

One wheel serves them all. For each CPython from 3.10 on (found in PATH and among pyenv's
versions) there are two virtual environments in target/pythons/: the oldest NumPy that nestwise
supports, where it exists for that CPython, and the newest. A combination that cannot be had is said
in the table and is no failure; a test that fails is.
"""

from __future__ import annotations

import argparse
import glob
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = ROOT / "target" / "pythons"
WANTED = ("3.10", "3.11", "3.12", "3.13", "3.14")
NUMPYS = {"oldest": "numpy==2.0.*", "newest": "numpy>=2.0"}
TESTS = ["tests/test_programs.py", "tests/fuzz/test_programs.py"]


class Result(NamedTuple):
    python: str
    numpy: str
    tests: str
    seconds: float = 0.0
    failed: bool = False


def version(program: str) -> tuple[str, str] | None:
    """("3.12", "3.12.1") where `program` is a CPython that runs."""
    code = "import platform as p; print(p.python_implementation(), p.python_version())"
    try:
        done = subprocess.run(
            [program, "-c", code], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None  # pyenv's shims fail for versions that are not chosen
    kind, full = done.stdout.split()
    short = ".".join(full.split(".")[:2])
    return (short, full) if kind == "CPython" else None


def interpreters() -> dict[str, str]:
    """By "3.12": where such a CPython is. pyenv's own come first: Debian's may lack venv."""
    root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    programs = sorted(glob.glob(os.path.join(root, "versions", "*", "bin", "python")))
    # What is in PATH because a virtual environment is active would be taken for the machine's.
    outside = [
        p for p in os.get_exec_path() if not os.path.exists(os.path.join(p, "../pyvenv.cfg"))
    ]
    path = os.pathsep.join(outside)
    for name in [f"python{v}" for v in WANTED] + ["python3"]:
        found = shutil.which(name, path=path)
        programs += [found] if found else []
    by_version: dict[str, str] = {}
    for program in programs:
        is_version = version(program)
        if is_version and is_version[0] in WANTED:
            by_version.setdefault(is_version[0], program)
    return by_version


def environment(python: str, short: str, kind: str, wheel: str) -> tuple[Path, str]:
    """The environment's interpreter and what is the matter with it (empty: nothing)."""
    folder = ENVIRONMENTS / f"{short}-{kind}"
    inside = folder / "bin" / "python"
    if version(str(inside)) != version(python):
        shutil.rmtree(folder, ignore_errors=True)
        done = _quiet([python, "-m", "venv", str(folder)])
        if done:
            return inside, f"no virtual environment: {done}"
    install = [str(inside), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # Without binaries pip would build an old NumPy from source under a CPython it was not made for.
    done = _quiet([*install, "--upgrade", "--only-binary", ":all:", NUMPYS[kind], "pytest"])
    if done:
        shutil.rmtree(folder, ignore_errors=True)
        return inside, f"no {NUMPYS[kind]} for it"
    done = _quiet([*install, "--force-reinstall", "--no-deps", wheel])
    return inside, done


def _quiet(command: list[str]) -> str:
    """The last line of what went wrong."""
    done = subprocess.run(command, capture_output=True, text=True, env=_clean())
    if done.returncode == 0:
        return ""
    return ((done.stderr or done.stdout).strip().splitlines() or ["it failed"])[-1]


def _clean() -> dict[str, str]:
    """Nothing of the calling environment reaches the one under test."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}


def test(inside: Path, short: str, full: str, kind: str, arguments: list[str]) -> Result:
    report = ENVIRONMENTS / f"{short}-{kind}.xml"
    report.unlink(missing_ok=True)
    numpy = subprocess.run(
        [str(inside), "-c", "import numpy; print(numpy.__version__)"],
        capture_output=True,
        text=True,
        env=_clean(),
    ).stdout.strip()
    print(f"== CPython {full}, NumPy {numpy}", flush=True)
    begun = time.monotonic()
    command = [str(inside), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short"]
    # Why something was skipped is part of the answer: `-rs`.
    command += ["-rs", f"--junitxml={report}", *arguments]
    code = subprocess.run(command, cwd=ROOT, env=_clean()).returncode
    seconds = time.monotonic() - begun
    if not report.exists():
        return Result(full, numpy, f"pytest ended with {code}", seconds, True)
    suite = next(xml.parse(report).getroot().iter("testsuite"))
    count = {k: int(suite.get(k, 0)) for k in ("tests", "failures", "errors", "skipped")}
    bad = count["failures"] + count["errors"]
    passed = count["tests"] - bad - count["skipped"]
    text = f"{passed} passed, {bad} failed, {count['skipped']} skipped"
    return Result(full, numpy, text, seconds, code != 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel")
    parser.add_argument("--only", nargs="+", default=list(WANTED), metavar="VERSION")
    parser.add_argument("--numpy", nargs="+", default=list(NUMPYS), choices=list(NUMPYS))
    parser.add_argument("--tests", nargs=argparse.REMAINDER, default=TESTS)
    options = parser.parse_args()
    ENVIRONMENTS.mkdir(parents=True, exist_ok=True)
    found = interpreters()
    results = []
    for short in options.only:
        if short not in found:
            results.append(Result(short, "", "not on this machine"))
            continue
        full = (version(found[short]) or ("", short))[1]
        for kind in options.numpy:
            inside, wrong = environment(found[short], short, kind, options.wheel)
            if wrong:
                missing = wrong.startswith("no numpy")
                results.append(Result(full, kind, wrong, failed=not missing))
                continue
            results.append(test(inside, short, full, kind, options.tests))
    print("\nCPython  | NumPy   | tests                                    | seconds")
    print("---------|---------|------------------------------------------|--------")
    for one in results:
        seconds = f"{one.seconds:7.0f}" if one.seconds else ""
        print(f"{one.python:8} | {one.numpy:7} | {one.tests:40} | {seconds}")
    return any(one.failed for one in results)


if __name__ == "__main__":
    sys.exit(main())
