"""The parts that the command lines of all commands but `run` have in common."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from nestwise.options import BadOption


class Parser(argparse.ArgumentParser):
    """The parser of one command: what makes no sense is told in one line, like a bad option."""

    def __init__(self, command: str, description: str, usage: str | None = None) -> None:
        super().__init__(
            prog=f"nestwise {command}",
            description=description,
            usage=usage,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.command = command

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Ends the process when help has been printed; raises BrokenPipeError if nobody reads."""
        sys.stdout.flush()
        super().exit(status, message)

    def error(self, message: str) -> NoReturn:
        """Raises BadOption."""
        raise BadOption(f"{self.command}: {message} (see {self.prog} --help)")


def numbers(text: str) -> list[int]:
    """Parses whole numbers above zero, like `1,2,3`."""
    try:
        found = [int(word) for word in text.split(",")]
    except ValueError:
        found = []
    if not found or min(found) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of positive whole numbers")
    return found


def number(text: str) -> int:
    """Parses one whole number above zero."""
    return numbers(text)[0]


def file_name(text: str) -> str:
    """Checks the name of a file, which must not be empty."""
    if not text:
        raise argparse.ArgumentTypeError("a file name is missing")
    return text
