"""`nestwise run` and `nestwise verify`: runs a program with its loops handled."""

from __future__ import annotations

import sys

from nestwise import options
from nestwise.cli import program
from nestwise.importing import hook
from nestwise.options import BadOption, Options

VALUED = ("device", "threads", "fp", "report-file", "profile", "include")
VERIFYING = ("sample", "only")


def run_program(arguments: list[str], command: list[str]) -> int:
    """Runs the program of a command line that begins with `command`; gives its exit code, unless it
    ends by itself.
    """
    if "-h" in arguments[:1] or "--help" in arguments[:1]:
        from nestwise.cli.usage import USAGE

        print(USAGE, end="")
        return 0
    chosen = Options.from_environment()
    chosen.verify = command[0] == "verify"
    if command[0] == "whatif":
        chosen.prices = chosen.record = True
    given, flags, what, words = _parse(arguments, chosen)
    if flags:
        _restart([*flags], [*command, *given, *(what or ["--"]), *words])
    chosen.program = (*what, *words)
    options.choose(chosen)
    if chosen.need_judging():
        from nestwise.native import extension

        extension.check()
    if chosen.report is not None:
        from nestwise.reporting.write import at_exit

        at_exit(chosen)
    hook.install()
    if chosen.verify:
        return _verified(what, words)
    _start(what, words)
    return 0


def _start(what: list[str], words: list[str]) -> None:
    """Runs the program that a command line names; returns when it has ended by itself."""
    name, *arguments = words
    if what == ["-m"]:
        program.run_module(name, arguments)
    elif what == ["-c"]:
        program.run_command(name, arguments)
    elif name == "-":
        program.run_stdin(arguments)
    else:
        program.run_script(name, arguments)


def _verified(what: list[str], words: list[str]) -> int:
    """Runs a program whose nests are compared, tells the outcome, and gives the exit code."""
    from nestwise.verifying.summary import differences, summary

    try:
        _start(what, words)
    except SystemExit:
        if differences():
            return 1
        raise
    finally:
        print(summary(), end="", file=sys.stderr, flush=True)
    return 1 if differences() else 0


def _parse(
    arguments: list[str], chosen: Options
) -> tuple[list[str], list[str], list[str], list[str]]:
    """Gives our options as given, python's options, [-m] or [-c] or [], and the program with its
    own arguments.
    """
    ours: list[str] = []
    flags: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest[0]
        if word in ("-m", "-c"):
            if len(rest) < 2:
                raise BadOption(f"{word}: a {'module' if word == '-m' else 'program'} is missing")
            return ours, flags, [word], rest[1:]
        if word == "-" or not word.startswith("-"):
            return ours, flags, [], rest
        del rest[0]
        if word == "--" and rest:
            return ours, flags, [], rest
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if name in VERIFYING and not chosen.verify:
                raise BadOption(f"{word}: an option of nestwise verify")
            if name in (*VALUED, *VERIFYING) and not equals:
                if not rest:
                    raise BadOption(f"{word}: a value is missing")
                value = rest.pop(0)
                ours.append(word)
                ours.append(value)
            elif equals and name == "no-cache":
                raise BadOption(f"{word}: --no-cache takes no value")
            else:
                ours.append(word)
            chosen.set(name, value, f"--{name}")
        else:
            flags += _python_flag(word, rest)
    raise BadOption("run: a script is missing (see nestwise --help)")


def _python_flag(word: str, rest: list[str]) -> list[str]:
    if word[:2] in ("-W", "-X"):
        if len(word) > 2:
            return [word]
        if not rest:
            raise BadOption(f"{word}: a value is missing")
        return [word, rest.pop(0)]
    letters = set(word[1:])
    if not letters <= set("OBuEsSIPv"):
        raise BadOption(f"unknown option {word} (see nestwise --help)")
    return [word]


def _restart(flags: list[str], words: list[str]) -> None:
    """Starts the interpreter anew with Python's own options, which take effect only then."""
    import os

    here = os.path.join(options.FOLDER, "__main__.py")
    os.execv(sys.executable, [sys.executable, *_given_flags(), *flags, here, *words])


def _given_flags() -> list[str]:
    """Gives the options this interpreter was started with, not what its flags amount to: what came
    from the environment comes again, unless -E says otherwise.
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
