"""`nestwise whatif`: predicts what other machines would do with a program that runs, or
ran, here.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, NamedTuple

from nestwise import options
from nestwise.calibrate.files import BadProfile, check_writable, read
from nestwise.cli.parsing import Parser, number
from nestwise.native import extension
from nestwise.reporting.formatting import seconds

ABOUT = """\
Runs a program here and tells, on standard error, where each of its loop nests would have run on the
machines that these profiles were measured on, and what its calls would have taken there; beside
it the same by this machine's own profile. What another machine compiles is taken to be what was
compiled here; callers wait for that, and nothing is learned.
"""
USAGE = """\
nestwise whatif --profile F[,G...] [--record R] [options of run] script.py [argument...]
       nestwise whatif --profile F[,G...] --from R"""

HERE = "here"
DEVICES = ("interpreter", "serial", "threads", "gpu")


class Bad(ValueError):
    """A command line that makes no sense, or a file that is no recording or profile."""


class Asked(NamedTuple):
    """The command line, parsed."""

    profiles: list[str]
    cores: int
    record: str | None
    recorded: str | None
    json: bool
    program: list[str]  # and options of run
    words: list[str]  # the command line before that


def main(arguments: list[str]) -> int:
    """Runs a program, or reads the recording of a run, and tells; gives the program's exit code."""
    try:
        asked = _parse(arguments)
        profiles = {name: _profile(name) for name in asked.profiles}
        if asked.recorded is not None:
            recording = _kept(asked.recorded)
        elif not asked.program:
            raise Bad("a script is missing (see nestwise whatif --help)")
        else:
            return _run(asked, profiles)
        _tell(recording, profiles, asked)
    except (Bad, BadProfile) as error:
        print(f"nestwise: whatif: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> Parser:
    parser = Parser("whatif", ABOUT, USAGE)
    parser.add_argument(
        "--profile",
        required=True,
        metavar="F[,G...]",
        help="the machines' profiles (`nestwise calibrate` makes one there; `default` for the one "
        "that nobody measured)",
    )
    parser.add_argument(
        "--cores", type=number, default=0, metavar="N", help="cores there (those of the profile)"
    )
    parser.add_argument(
        "--record", metavar="R", help="keep what was recorded, to ask about other machines later"
    )
    parser.add_argument("--from", metavar="R", help="do not run anything: what was kept")
    parser.add_argument(
        "--json", action="store_true", help="the same for programs, on standard output"
    )
    return parser


def _parse(arguments: list[str]) -> Asked:
    """Parses the command line, in which this command's own options stand before those of run."""
    valued = ("--profile", "--cores", "--record", "--from")
    end = 0
    while end < len(arguments):
        name, equals, _ = arguments[end].partition("=")
        if name not in (*valued, "--json", "-h", "--help"):
            break
        end += 2 if name in valued and not equals else 1
    ours, rest = arguments[:end], arguments[end:]
    given = _parser().parse_args(ours)
    kept = getattr(given, "from")
    profiles = [name for name in given.profile.split(",") if name]
    if not profiles:
        raise Bad("--profile: the profile of another machine is missing")
    if given.cores > 65535:
        raise Bad(f"--cores: {given.cores} is not a number of cores")
    if kept is not None and (rest or given.record is not None):
        raise Bad("--from: nothing is run, so that there is no script and nothing to record")
    return Asked(profiles, given.cores, given.record, kept, given.json, rest, ["whatif", *ours])


def _profile(name: str) -> str:
    """Reads a profile's text, with every field of it checked."""
    import nestwise._core as core

    if name == options.DEFAULT:
        return core.default_profile()
    return json.dumps(read(name))


def _kept(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "is not text"
        raise Bad(f"--from: cannot read {path!r}: {why}") from None


def _run(asked: Asked, profiles: dict[str, str]) -> int:
    """Runs the program with all that its prices depend on recorded, and tells; gives
    its exit code.
    """
    from nestwise.cli.run import run_program

    if asked.record is not None:
        check_writable(asked.record)  # better said before a long run than after

    def tell() -> None:
        if not extension.loaded():
            print("nestwise: whatif: no loop nest was met", file=sys.stderr)
            return
        import nestwise._core as core

        recording = core.recording()
        if asked.record is not None:
            _write(asked.record, recording)
        try:
            _tell(recording, profiles, asked)
        except Bad as error:
            print(f"nestwise: whatif: {error}", file=sys.stderr)

    try:
        return run_program(asked.program, asked.words)
    finally:
        tell()


def _write(path: str, recording: str) -> None:
    fresh = f"{path}.{os.getpid()}"
    try:
        with open(fresh, "w", encoding="utf-8") as file:
            file.write(recording)
        os.replace(fresh, path)
    except OSError as error:
        print(f"nestwise: whatif: cannot write {path!r}: {error.strerror}", file=sys.stderr)


def _tell(recording: str, profiles: dict[str, str], asked: Asked) -> None:
    extension.require()
    import nestwise._core as core

    try:
        answers = {HERE: json.loads(core.what_if(recording, None, 0))}
        for name, text in profiles.items():
            answers[name] = json.loads(core.what_if(recording, text, asked.cores))
    except ValueError as error:
        raise Bad(f"{asked.recorded or 'the recording'} {error}") from None
    if asked.json:
        print(json.dumps(answers))
    else:
        print(text_of(answers), file=sys.stdout if asked.recorded else sys.stderr)


def text_of(answers: dict[str, Any]) -> str:
    """Gives the answers as text: a block for each nest, with a line for each machine; the sums
    last.
    """
    lines = [
        f"{name}: {answer['profile']}, {answer['cores']} cores" for name, answer in answers.items()
    ]
    shown = dict(zip(answers, _short(list(answers)), strict=True))
    width = max(map(len, shown.values())) + 2
    head = " " * (width + 2) + f"{'time':>10} {'compiling':>10}"
    devices = _devices(answers)
    head += "".join(f"{'all ' + device:>16}" for device in devices) + "   calls run by"
    for nests in zip(*(answer["nests"] for answer in answers.values()), strict=True):
        first = nests[0]
        place = f"{os.path.basename(first['file'])}:{first['line']}"
        count = sum(first["replay"]["calls"].values())
        folded = f", of which {first['folded']} as others" if first["folded"] else ""
        lines += ["", f"{place}: {count} call{'s' * (count != 1)}{folded}", head]
        for name, nest in zip(answers, nests, strict=True):
            lines.append(f"  {shown[name]:{width}}{_row(nest['replay'], devices)}")
    totals = {
        name: sum(nest["replay"]["seconds"] for nest in answer["nests"])
        for name, answer in answers.items()
    }
    lines += ["", "in all: " + ", ".join(f"{shown[n]} {seconds(s)}" for n, s in totals.items())]
    return "\n".join(lines)


def _short(names: list[str]) -> list[str]:
    """Gives the names of files without their folders, where that tells them apart."""
    bases = [os.path.basename(name).removesuffix(".json") for name in names]
    return bases if len(set(bases)) == len(bases) else names


def _devices(answers: dict[str, Any]) -> list[str]:
    """Gives the devices that some machine has: where there is no card, one core runs what a card
    would.
    """
    every = [nest["replay"]["always"] for answer in answers.values() for nest in answer["nests"]]
    card = any(always["gpu"] != always["serial"] for always in every)
    return [device for device in DEVICES if device != "gpu" or card]


def _row(replay: dict[str, Any], devices: list[str]) -> str:
    calls = [f"{device} {n}" for device, n in replay["calls"].items() if n]
    always = "".join(f"{seconds(replay['always'][device]):>16}" for device in devices)
    took = f"{seconds(replay['seconds']):>10} {seconds(replay['compile']):>10}"
    return f"{took}{always}   {', '.join(calls)}"
