"""The command line: `nestwise run script.py`, and what else the command can do."""

from __future__ import annotations

import sys

USAGE = """\
usage: nestwise run [options] script.py [argument...]
       nestwise run [options] -m module [argument...]
       nestwise run [options] -c code [argument...]
       nestwise verify [--sample K] [options of run] script.py [argument...]
       nestwise oracle [--sizes N,...] [--json F] [--html F] PATH...
       nestwise calibrate [--quick] [--out F]
       nestwise profile show [F] | diff F [G]
       nestwise whatif --profile F[,G...] [options of run] script.py [argument...]
       nestwise explain [--json] [--sizes n=1000,a=20x30] [--after STAGE] script.py

Runs a Python program as python does, with its loop nests priced, compiled and run where they win;
or runs every nest twice, compiled and in CPython, and compares bit by bit; or explains, without
running the program, what each of its loops may do and why not more; or measures this machine, so
that prices are its own; or tells what other machines would do with a program.
`nestwise COMMAND --help` tells more of calibrate, oracle, profile and whatif.

options of verify:
  --sample K            compare the first two calls of each nest, then about one in K (all)
  --only FILE:LINE:CALL compare that call of that nest alone; all else runs in CPython
                        what differs is told on standard error; the exit code is 1 then

options of explain:
  --json                the same for programs
  --sizes NAME=N,...    ints (n=1000, self.n=20) and extents (a=20x30, a.shape=(20,30)) as they
                        will be
  --after STAGE         the nests as they are after parse, lower, prove, analyse, schedule,
                        or their prices by device and term after price (with all --sizes)
  --fp MODE, --profile F
                        as below

options of run:
  --device auto|interpreter|serial|threads|emulated|gpu
                        where loop nests may run (auto: wherever it is cheapest, on a card only
                        where the profile has one; gpu: an NVIDIA card wherever
                        loops allow it; emulated: that without a card, for tests)
  --threads N           at most N threads
  --fp strict|faithful|fast
                        floating point: CPython's bits; within ulps; reordered sums
  --report[=text|json]  what became of every loop nest, at exit, on standard error
  --report-file F       the same, into a file
  --profile F           the machine profile to price with (what `nestwise calibrate` left; `default`
                        for the one that nobody measured)
  --no-cache            neither read nor write the cache folder
  --include MODULE      handle this module too, though it is part of a library
  -O -OO -B -u -E -s -S -I -P -W ARG -X OPT
                        python's own options

Each option also has an environment variable: NESTWISE_DEVICE, NESTWISE_THREADS, NESTWISE_FP,
NESTWISE_REPORT, NESTWISE_REPORT_FILE, NESTWISE_PROFILE, NESTWISE_NO_CACHE, NESTWISE_INCLUDE;
NESTWISE_CACHE_DIR names the cache folder.
"""

VALUED = ("device", "threads", "fp", "report-file", "profile", "include")
VERIFYING = ("sample", "only")


class _Usage(Exception):
    """One line about a command line that makes no sense."""


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        return _dispatch(arguments)
    except (_Usage, _bad_option()) as error:
        print(f"nestwise: {error}", file=sys.stderr)
        return 2


def _bad_option() -> type[Exception]:
    from nestwise.config import BadOption

    return BadOption


def _dispatch(arguments: list[str]) -> int:
    command, rest = (arguments[0], arguments[1:]) if arguments else ("--help", [])
    if command in ("run", "verify"):
        return run_program(rest, [command])
    if command in ("-h", "--help", "help"):
        print(USAGE, end="")
        return 0
    if command in ("-V", "--version"):
        from nestwise import __version__

        print(f"nestwise {__version__}")
        return 0
    if command in TOOLS:
        return _tool(TOOLS[command], rest)
    hint = f"; did you mean `nestwise run {command}`?" if command.endswith(".py") else ""
    raise _Usage(f"unknown command {command!r}{hint} (see nestwise --help)")


# Modules with a main(arguments), by command.
TOOLS = {
    "explain": "nestwise.explain",
    "oracle": "nestwise.oracle.command",
    "calibrate": "nestwise.calibrate.command",
    "profile": "nestwise.calibrate.files",
    "whatif": "nestwise.whatif",
}


def _tool(module: str, arguments: list[str]) -> int:
    import importlib
    import os

    try:
        code = importlib.import_module(module).main(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Who reads has seen enough. What is still to be written goes nowhere, also at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def run_program(arguments: list[str], command: list[str]) -> int:
    """Runs the program of a command line that begins with `command`; its exit code, unless it ends
    by itself.
    """
    from nestwise import config

    if "-h" in arguments[:1] or "--help" in arguments[:1]:
        print(USAGE, end="")
        return 0
    options = config.Options.from_environment()
    options.verify = command[0] == "verify"
    if command[0] == "whatif":
        options.prices = options.record = True
    given, flags, what, program = _parse(arguments, options)
    if flags:
        _restart([*flags], [*command, *given, *(what or ["--"]), *program])
    options.program = (*what, *program)
    config.configure(options)
    config.check()
    if options.report is not None:
        from nestwise import reporting

        reporting.at_exit(options)
    from nestwise import importer, run

    importer.install()
    if what == ["-m"]:
        start = run.run_module, program[0]
    elif what == ["-c"]:
        start = run.run_command, program[0]
    elif program[0] == "-":
        start = (run.run_stdin,)
    else:
        start = run.run_script, program[0]
    function, *named = start
    if options.verify:
        return _verified(function, *named, program[1:])
    function(*named, program[1:])
    return 0


def _verified(function, *arguments) -> int:
    """Runs a program whose nests are compared, tells the outcome, and gives the exit code."""
    from nestwise import verify

    try:
        function(*arguments)
    except SystemExit:
        if verify.differences():
            return 1
        raise
    finally:
        print(verify.summary(), end="", file=sys.stderr, flush=True)
    return 1 if verify.differences() else 0


def _parse(arguments: list[str], options) -> tuple[list[str], list[str], list[str], list[str]]:
    """(our options as given, python's options, [-m] or [-c] or [], the program and its own)"""
    ours: list[str] = []
    flags: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest[0]
        if word in ("-m", "-c"):
            if len(rest) < 2:
                raise _Usage(f"{word}: a {'module' if word == '-m' else 'program'} is missing")
            return ours, flags, [word], rest[1:]
        if word == "-" or not word.startswith("-"):
            return ours, flags, [], rest
        del rest[0]
        if word == "--" and rest:
            return ours, flags, [], rest
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if name in VERIFYING and not options.verify:
                raise _Usage(f"{word}: an option of nestwise verify")
            if name in (*VALUED, *VERIFYING) and not equals:
                if not rest:
                    raise _Usage(f"{word}: a value is missing")
                value = rest.pop(0)
                ours.append(word)
                ours.append(value)
            elif equals and name == "no-cache":
                raise _Usage(f"{word}: --no-cache takes no value")
            else:
                ours.append(word)
            options.set(name, value, f"--{name}")
        else:
            flags += _python_flag(word, rest)
    raise _Usage("run: a script is missing (see nestwise --help)")


def _python_flag(word: str, rest: list[str]) -> list[str]:
    if word[:2] in ("-W", "-X"):
        if len(word) > 2:
            return [word]
        if not rest:
            raise _Usage(f"{word}: a value is missing")
        return [word, rest.pop(0)]
    letters = set(word[1:])
    if not letters <= set("OBuEsSIPv"):
        raise _Usage(f"unknown option {word} (see nestwise --help)")
    return [word]


def _restart(flags: list[str], words: list[str]) -> None:
    """Python's own options take effect in a new interpreter only."""
    import os

    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__main__.py")
    os.execv(sys.executable, [sys.executable, *_given_flags(), *flags, here, *words])


def _given_flags() -> list[str]:
    """The options this interpreter was started with. Not what its flags amount to: what came from
    the environment comes again, unless -E says otherwise.
    """
    import re

    flags: list[str] = []
    words = iter(sys.orig_argv[1:])
    for word in words:
        if not word.startswith("-") or word in ("-", "--"):
            break
        if word[1] not in "-WX" and (end := re.search("[mc]", word)):
            # The program follows: `-m nestwise`, `-Bm nestwise`.
            flags += [word[: end.start()]] * (end.start() > 1)
            break
        flags.append(word)
        if word in ("-W", "-X", "--check-hash-based-pycs"):
            flags.append(next(words, ""))
    return flags
