"""Programs run as processes of their own, by python and by nestwise, and compared.

The unit of comparison is a whole process: standard output, standard error (tracebacks and warnings
included) and the exit code. Nothing is compared inside one interpreter, so that a crash of the
native part is a difference like any other and no state leaks from one run into the next.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
import tokenize
import zlib
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PROGRAMS = HERE / "programs"

# What scripts of PROGRAMS import: no scripts themselves.
MODULES = ("showing.py", "support.py")


def every_program() -> list[Path]:
    """Every script of tests/programs/, in whichever folder; names are unique in all of them."""
    found = {p.name: p for p in PROGRAMS.rglob("*.py") if p.name not in MODULES}
    return sorted(found.values(), key=lambda path: path.name)


def program_named(name: str) -> Path:
    """The script of tests/programs/ with that name."""
    return next(path for path in every_program() if path.stem == name)


# What each treatment adds to `nestwise run`. Two threads are asked for on any machine.
DEVICES: dict[str, list[str]] = {
    "interpreter": ["--device", "interpreter"],
    "serial": ["--device", "serial"],
    # The same in quick code, and in code of both tiers with a change every few iterations.
    "quick": ["--device", "serial"],
    "switch": ["--device", "serial"],
    "threads": ["--device", "threads", "--threads", "2"],
    "auto": ["--device", "auto"],
    # The same, but even what is over at once is planned and priced.
    "planned": ["--device", "auto"],
    "emulated": ["--device", "emulated"],
    # The same, one kernel running whole loops wherever that can be, or nowhere.
    "together": ["--device", "emulated"],
    "apart": ["--device", "emulated"],
}
COOPERATIVE = {"together": "1", "apart": "0"}
TIERS = ("quick", "switch")

# Devices that leave nothing to prices: whatever can run compiled must.
FORCED = ("serial", "quick", "switch", "threads")

# Counts of threads: one, few, and more than there are cores, so that parts are cut oddly.
THREADS = (1, 2, 5)

TIMEOUT_S = 240

_MARK = re.compile(r"^\s*[^#\s].*#\s*(native|cpython)( throughout)?\s*$")
_REQUIRES = re.compile(r"^# requires: (python|numpy) (\d+)\.(\d+)$")


class Treatment(NamedTuple):
    """A device with the form of nests that a test asks for (see CONTRIBUTING.md)."""

    device: str
    threads: int = 2
    schedule: str = ""

    def __str__(self) -> str:
        return f"{self.device} {self.threads} {self.schedule}"


def treatments(program: Path, every: bool) -> list[str | Treatment]:
    """How a script is run: in every way, or in a choice that its name makes, so that all scripts
    together meet every way and a run of them stays short."""
    threads = [Treatment("threads", count) for count in THREADS]
    if every:
        one = ["interpreter", "serial", "quick", "switch"]
        return [*one, *threads, "auto", "planned", "together", "apart"]
    pick = zlib.crc32(program.stem.encode())
    free = ("auto", "planned", "together", "auto", "planned", "apart")[pick // 3 % 6]
    one = ("serial", "quick", "switch")[pick // 18 % 3]
    chosen: list[str | Treatment] = [one, threads[pick % 3], free]
    # `interpreter` tests the rewriting alone, which all scripts have alike.
    return ["interpreter", *chosen] if pick % 5 == 0 else chosen


def forced(device: str | Treatment) -> bool:
    """Whether prices have no say and nothing but the device was asked for."""
    if isinstance(device, Treatment):
        return device.device in FORCED and not device.schedule
    return device in FORCED


def unmet(program: Path) -> str:
    """What a script says it needs (`# requires: python 3.12`, `# requires: numpy 2.3`) and this
    interpreter has not; empty where it can run."""
    here = {"python": sys.version_info[:2], "numpy": _numpy_version()}
    for line in source_lines(program):
        match = _REQUIRES.match(line)
        if match and here[match[1]] < (int(match[2]), int(match[3])):
            return "requires {} {}.{}".format(*match.groups())
    return ""


def _numpy_version() -> tuple[int, ...]:
    return tuple(int(part) for part in metadata.version("numpy").split(".")[:2])


class Done(NamedTuple):
    """One process that has ended."""

    code: int | str
    stdout: str
    stderr: str
    report: dict[str, Any] | None = None

    def text(self) -> str:
        """All that a user could have seen, as lines to compare."""
        return f"exit code {self.code}\n-- stdout\n{self.stdout}\n-- stderr\n{self.stderr}\n"


def environment(cache: Path) -> dict[str, str]:
    """This process's variables without those that would change what python or nestwise do."""
    # The test runner changes a variable of its own meanwhile, in another thread.
    names = [k for k in list(os.environ) if not k.startswith(("NESTWISE", "PYTHON", "PYTEST"))]
    kept = {k: os.environ[k] for k in names}
    kept.update(
        PYTHONHASHSEED="0",
        PYTHONPATH=str(PROGRAMS),  # scripts in its folders share `showing`
        PYTHONDONTWRITEBYTECODE="1",
        PYTHON_COLORS="0",
        PYTHONIOENCODING="utf-8",
        NO_COLOR="1",
        NESTWISE_CACHE_DIR=str(cache),
    )
    return kept


def python(program: Path, *arguments: str, timeout: float = TIMEOUT_S) -> Done:
    """`program` under plain CPython."""
    return _run([sys.executable, str(program), *arguments], program, Path("unused"), timeout)


def nestwise(
    program: Path,
    device: str | Treatment,
    cache: Path,
    *arguments: str,
    timeout: float = TIMEOUT_S,
    options: Sequence[str] = (),
    switches: dict[str, str] | None = None,
) -> Done:
    """`program` under `nestwise run`, with the report that it leaves; `switches`: variables."""
    handle, name = tempfile.mkstemp(suffix=".json")
    os.close(handle)
    schedule = ""
    if isinstance(device, Treatment):
        options = ["--threads", str(device.threads), *options]
        device, _, schedule = device
    words = [sys.executable, "-m", "nestwise", "run"]
    # A card is none of the devices that every test can have.
    words += [*DEVICES.get(device, ["--device", device]), *options]
    words += ["--report=json", "--report-file", name, str(program), *arguments]
    try:
        env = {
            "NESTWISE_SCHEDULE": schedule,
            "NESTWISE_TIER_UP_BUDGET": str(int(device != "planned")),
        }
        env["NESTWISE_TIER"] = device if device in TIERS else ""
        env["NESTWISE_COOPERATIVE"] = COOPERATIVE.get(device, "")
        # Where nothing is priced, every rollback is looked at: it has to leave all as it was.
        env["NESTWISE_CHECK"] = "undo" if device in FORCED else ""
        done = _run(words, program, cache, timeout, env | (switches or {}))
        text = Path(name).read_text(encoding="utf-8")
    finally:
        os.unlink(name)
    try:
        report = json.loads(text) if text else None
    except ValueError as error:
        return done._replace(stderr=f"{done.stderr}\nunreadable report: {error}\n{text}")
    return done._replace(report=report)


def verify(
    program: Path,
    cache: Path,
    *arguments: str,
    options: Sequence[str] = (),
    broken: str = "",
    timeout: float = 2 * TIMEOUT_S,
) -> Done:
    """`program` under `nestwise verify`; `broken`: an operation that nests do wrong on purpose."""
    handle, name = tempfile.mkstemp(suffix=".json")
    os.close(handle)
    words = [sys.executable, "-m", "nestwise", "verify", *options]
    words += ["--report=json", "--report-file", name, str(program), *arguments]
    try:
        done = _run(words, program, cache, timeout, switches={"NESTWISE_BREAK": broken})
        text = Path(name).read_text(encoding="utf-8")
    finally:
        os.unlink(name)
    return done._replace(report=json.loads(text) if text else None)


def _run(
    words: list[str],
    program: Path,
    cache: Path,
    timeout: float,
    switches: dict[str, str] | None = None,
) -> Done:
    try:
        done = subprocess.run(
            words,
            cwd=program.parent,
            env=environment(cache) | (switches or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return Done("timeout", _decoded(late.stdout), _decoded(late.stderr))
    return Done(done.returncode, _decoded(done.stdout), _decoded(done.stderr))


def _decoded(output: bytes | None) -> str:
    return (output or b"").decode("utf-8", "backslashreplace")


def source_lines(program: Path) -> list[str]:
    """A script's lines as CPython counts them, in whatever encoding it declares."""
    with tokenize.open(program) as file:
        return file.read().split("\n")


class Marks(NamedTuple):
    """Lines of loops that must have run as a kernel, and of those that must not."""

    native: list[int]
    throughout: list[int]
    cpython: list[int]


def marks(program: Path) -> Marks:
    """The marks in a program's text: `# native`, also `# native throughout` where no event may send
    a part of it to CPython, or `# cpython` ends a loop's first line, or that of a statement with a
    comprehension."""
    found = Marks([], [], [])
    for number, line in enumerate(source_lines(program), 1):
        match = _MARK.match(line)
        if match:
            getattr(found, match[1]).append(number)
            if match[2]:
                found.throughout.append(number)
    return found


def nests_by_line(report: dict[str, Any] | None, program: Path) -> dict[int, list[dict]]:
    """The report's nests of this very file. One loop may be several sites: alone and inside."""
    found: dict[int, list[dict]] = {}
    for nest in (report or {}).get("nests", ()):
        if os.path.basename(str(nest.get("file", ""))) == program.name:
            found.setdefault(int(nest["line"]), []).append(nest)
    return found


# Codes of reasons that are faults of ours, whatever the program does.
FAULTS = ("internal", "codegen")


def faults(report: dict[str, Any] | None) -> list[str]:
    """What went wrong inside: a caught panic costs no answer, and would go unseen."""
    if report is None:
        return []
    found = [f"a panic at {panic}" for panic in report["panics"]]
    for loop in report["refused"]:
        if loop["code"] in FAULTS:
            found.append(f"line {loop['line']}: {loop['message']}")
    for nest in report["nests"]:
        for fallback in nest["fallbacks"]:
            if fallback["code"] in FAULTS:
                found.append(f"line {nest['line']}: {fallback['reason']}")
    return found


def difference(expected: Done, got: Done) -> str:
    """Empty when the two processes cannot be told apart; otherwise a unified diff.

    Nor may anything have failed inside, though nobody could tell.
    """
    if found := faults(got.report):
        return "failed inside:\n" + "\n".join(found)
    if expected[:3] == got[:3]:
        return ""
    lines = difflib.unified_diff(
        expected.text().splitlines(),
        got.text().splitlines(),
        "python",
        "nestwise",
        lineterm="",
        n=4,
    )
    return "\n".join(lines)


def broken_marks(program: Path, got: Done, device: str | Treatment) -> list[str]:
    """The marks that a run did not keep. Prices may leave any loop to CPython on `auto`; on
    `interpreter` all loops are marked `# cpython`, as it were."""
    wanted = marks(program)
    if device == "interpreter":
        wanted = Marks([], [], sorted({*wanted.native, *wanted.cpython}))
    nests = nests_by_line(got.report, program)
    text = source_lines(program)
    broken = []
    for line in wanted.native if forced(device) else ():
        if not any(_ran(nest) for nest in nests.get(line, ())):
            why = _why(nests.get(line, []), got.report, program, line)
            broken.append(f"line {line} never ran compiled: {text[line - 1].strip()}\n    {why}")
    for line in wanted.throughout if forced(device) else ():
        reasons = [r for nest in nests.get(line, ()) for r in nest["fallbacks"]]
        if any(reason["code"] == "guard-failure" for reason in reasons):
            broken.append(f"line {line} had events: {text[line - 1].strip()}")
    for line in wanted.cpython:
        if any(nest.get("launches") for nest in nests.get(line, ())):
            broken.append(f"line {line} ran compiled but must not: {text[line - 1].strip()}")
    return broken


def _ran(nest: dict) -> bool:
    """A launch that was undone altogether does not count."""
    return bool(nest.get("launches")) and bool(nest.get("iterations"))


def _why(nests: list[dict], report: dict | None, program: Path, line: int) -> str:
    if report is None:
        return "there is no report"
    if not nests:
        for loop in report.get("refused", ()):
            same = os.path.basename(str(loop.get("file"))) == program.name
            if same and loop.get("line") == line:
                return f"refused ({loop.get('code')}) at {loop.get('reason_line')}: " + str(
                    loop.get("message")
                )
        return "no site at this line; is it inside another one?"
    return "; ".join(
        f"calls {nest.get('calls')}, declined {nest.get('declined')}, fallbacks "
        + (", ".join(f"{_reason(f)}" for f in nest.get("fallbacks") or ()) or "none")
        for nest in nests
    )


def _reason(fallback: dict) -> str:
    return f"{fallback.get('count')} x {fallback.get('code')}: {fallback.get('reason')}"


def fallbacks(got: Done, program: Path) -> str:
    """Every nest of the program with what became of it, one line each."""
    lines = []
    for line, nests in sorted(nests_by_line(got.report, program).items()):
        for nest in nests:
            why = ", ".join(_reason(f) for f in nest.get("fallbacks") or ())
            lines.append(
                f"{program.name}:{line} calls {nest.get('calls')}, launches "
                f"{nest.get('launches')}{'; ' + why if why else ''}"
            )
    return "\n".join(lines)


class Runs:
    """Processes started ahead of the tests that ask for them, on as many workers as cores.

    A test asks by key; whatever was not announced is run on the spot.
    """

    def __init__(self, cache: Path):
        self.cache = cache
        self.pool = ThreadPoolExecutor(max(1, len(os.sched_getaffinity(0))))
        self.started: dict[tuple, Future[Done]] = {}

    def start(self, device: str | None, program: Path, *arguments: str) -> Future[Done]:
        """`device` None is plain CPython."""
        key = (device, program, arguments)
        if key not in self.started:
            if device is None:
                work = self.pool.submit(python, program, *arguments)
            elif device == "verify":
                work = self.pool.submit(verify, program, self.cache, *arguments)
            else:
                work = self.pool.submit(nestwise, program, device, self.cache, *arguments)
            self.started[key] = work
        return self.started[key]

    def get(self, device: str | None, program: Path, *arguments: str) -> Done:
        return self.start(device, program, *arguments).result()

    def close(self) -> None:
        self.pool.shutdown(cancel_futures=True)
