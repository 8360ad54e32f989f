"""Every script of tests/programs and kernels/ under valgrind: no kernel of ours, nor our library,
reads or writes memory that is not there.

    python tools/memcheck.py [--jobs 2] [--device serial] [WORD...]

A compiled nest is plain code in the process, so memcheck sees what it touches: the buffers that
lists are converted to, frames, copies for undo, NumPy's arrays (Python allocates by malloc here).
Scripts that fork, that are timed, or that need minutes under valgrind are left out, and named. What
CPython, NumPy or libc do by themselves is not ours to judge: an error counts where a frame of its
stack lies in our library or in code that belongs to no file. Valgrind's processor has no AVX-512;
kernels are compiled for what it has.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from differential import DEVICES, environment, every_program, python  # noqa: E402

# They wait for signals, fork, or measure.
LEFT_OUT = ("interrupted", "processes", "forks", "threads_together", "functions_anew")
INVALID = ("InvalidRead", "InvalidWrite", "InvalidJump", "InvalidFree", "Overlap")
TIMEOUT_S = 900


class Run(NamedTuple):
    program: Path
    device: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.program.stem}-{self.device}"


class Found(NamedTuple):
    run: Run
    wrong: list[str]
    launches: int


def runs(devices: list[str]) -> list[Run]:
    index = json.loads((ROOT / "kernels" / "index.json").read_text(encoding="utf-8"))
    out = []
    for script in every_program():
        if script.stem not in LEFT_OUT:
            out += [Run(script, device, ()) for device in devices]
    for entry in index:
        size = str(max(3, entry["sizes"]["small"] // 8))
        for device in devices:
            out.append(Run(ROOT / "kernels" / entry["file"], device, ("--size", size)))
    return out


def check(run: Run, cache: Path) -> Found:
    """The same output as python's, and no invalid access of ours."""
    expected = python(run.program, *run.arguments)
    with tempfile.TemporaryDirectory() as folder:
        errors, report = Path(folder) / "errors.xml", Path(folder) / "report.json"
        words = ["valgrind", "--tool=memcheck", "--undef-value-errors=no", "--leak-check=no"]
        words += ["--xml=yes", f"--xml-file={errors}", "--error-limit=no", "--num-callers=8"]
        words += ["--child-silent-after-fork=yes", "--quiet"]
        words += [sys.executable, "-m", "nestwise", "run", *DEVICES[run.device]]
        words += ["--report=json", "--report-file", str(report), str(run.program), *run.arguments]
        try:
            done = subprocess.run(
                words,
                env=environment(cache) | {"PYTHONMALLOC": "malloc", "OPENBLAS_NUM_THREADS": "1"},
                cwd=run.program.parent,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Found(run, [f"took more than {TIMEOUT_S} s"], 0)
        wrong = invalid(errors)
        if done.returncode < 0:
            wrong.append(f"killed by signal {-done.returncode}")
        elif (shown := told(done.stdout.decode())) != told(expected.stdout) and shown != emulated(
            run, cache
        ):
            wrong.append(f"other output: {done.stderr.decode()[-500:]}")
        launches = 0
        if report.exists():
            nests = json.loads(report.read_text(encoding="utf-8"))["nests"]
            launches = sum(nest["launches"] for nest in nests)
    return Found(run, wrong, launches)


def emulated(run: Run, cache: Path) -> list[str]:
    """What python says on valgrind's processor, which raises no floating-point flags: NumPy does
    not warn there."""
    words = ["valgrind", "--tool=none", "--quiet", sys.executable, str(run.program), *run.arguments]
    done = subprocess.run(
        words,
        env=environment(cache),
        cwd=run.program.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    return told(done.stdout.decode())


def told(output: str) -> list[str]:
    return [line for line in output.splitlines() if not line.startswith("kernel_seconds")]


def invalid(path: Path) -> list[str]:
    """Errors whose stack touches our library or code that belongs to no file."""
    found = []
    try:
        ElementTree.parse(path)
    except (ElementTree.ParseError, OSError) as error:
        # It gave up; on debug information that it cannot read, for one: `make build` strips ours.
        return [f"valgrind left no complete report: {error}"]
    for error in ElementTree.parse(path).getroot().iter("error"):
        kind = error.findtext("kind", "")
        if kind not in INVALID:
            continue
        stack = error.find("stack")
        frames = [] if stack is None else stack.findall("frame")
        if any(is_ours(frame) for frame in frames):
            what = error.findtext("what") or error.findtext("xwhat/text") or kind
            found.append("\n    ".join([what, *map(named, frames)]))
    return found


def is_ours(frame: ElementTree.Element) -> bool:
    return "_core." in frame.findtext("obj", "_core.")


def named(frame: ElementTree.Element) -> str:
    place = os.path.basename(frame.findtext("obj", "compiled code"))
    return f"{frame.findtext('ip')} {frame.findtext('fn', '?')} ({place})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--device", action="append", choices=["serial", "threads"])
    parser.add_argument("words", nargs="*")
    given = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        return 2
    devices = given.device or ["serial", "threads"]
    chosen = [r for r in runs(devices) if all(word in str(r) for word in given.words)]
    failed = launches = 0
    with tempfile.TemporaryDirectory() as cache, ThreadPoolExecutor(given.jobs) as pool:
        for found in pool.map(lambda run: check(run, Path(cache)), chosen):
            launches += found.launches
            for wrong in found.wrong:
                failed += 1
                print(f"{found.run}: {wrong}", flush=True)
    print(f"{len(chosen)} runs, {launches} launches, {failed} failures; left out: {LEFT_OUT}")
    return bool(failed or not launches)


if __name__ == "__main__":
    raise SystemExit(main())
