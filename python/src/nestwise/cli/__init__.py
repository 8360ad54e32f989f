"""The command line: `nestwise run script.py`, and what else the command can do."""

from __future__ import annotations

import sys

from nestwise import options
from nestwise.options import BadOption


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and gives its exit code; 2 for a command line that makes no sense."""
    options.command_line = True
    try:
        return _dispatch(sys.argv[1:] if arguments is None else arguments)
    except BadOption as error:
        print(f"nestwise: {error}", file=sys.stderr)
        return 2


def _dispatch(arguments: list[str]) -> int:
    command, rest = (arguments[0], arguments[1:]) if arguments else ("--help", [])
    if command in ("run", "verify"):
        from nestwise.cli.run import run_program

        return run_program(rest, [command])
    if command in ("-h", "--help", "help"):
        from nestwise.cli.usage import USAGE

        print(USAGE, end="")
        return 0
    if command in ("-V", "--version"):
        from nestwise.version import VERSION

        print(f"nestwise {VERSION}")
        return 0
    if command in TOOLS:
        return _tool(TOOLS[command], rest)
    hint = f"; did you mean `nestwise run {command}`?" if command.endswith(".py") else ""
    raise BadOption(f"unknown command {command!r}{hint} (see nestwise --help)")


# Modules with a main(arguments), by command.
TOOLS = {
    "explain": "nestwise.cli.explain",
    "oracle": "nestwise.oracle.command",
    "calibrate": "nestwise.calibrate.command",
    "profile": "nestwise.cli.profile",
    "whatif": "nestwise.cli.whatif",
}


def _tool(module: str, arguments: list[str]) -> int:
    import importlib
    import os

    try:
        code: int = importlib.import_module(module).main(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Who reads has seen enough. What is still to be written goes nowhere, also at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
