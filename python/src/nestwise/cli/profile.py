"""`nestwise profile`: shows and compares machine profiles."""

from __future__ import annotations

import sys

from nestwise.calibrate.files import BadProfile, diff, load, show
from nestwise.cli.parsing import Parser

ABOUT = """\
Prints a machine profile, or what differs between two, largest ratios first. Times are those of one
operation; `default` names the profile that nobody measured.
"""
USAGE = """\
nestwise profile show [F]
       nestwise profile diff F [G]"""


def main(arguments: list[str]) -> int:
    """Prints what was asked for; gives 2 where a profile cannot be read, else 0."""
    parser = Parser(
        "profile", ABOUT, "nestwise profile show [F]\n       nestwise profile diff F [G]"
    )
    parser.add_argument("command", choices=("show", "diff"), help="what to print")
    parser.add_argument("first", nargs="?", metavar="F", help="a profile (diff: needed)")
    parser.add_argument(
        "second",
        nargs="?",
        metavar="G",
        help="another one; without it, the one that runs find by themselves, else the default",
    )
    given = parser.parse_args(arguments or ["--help"])
    if given.command == "show" and given.second is not None:
        parser.error("show takes one profile at most")
    if given.command == "diff" and given.first is None:
        parser.error("diff takes one profile or two")
    try:
        if given.command == "show":
            show(*load(given.first))
        else:
            diff(load(given.first), load(given.second))
    except BadProfile as error:
        print(f"nestwise: {error}", file=sys.stderr)
        return 2
    return 0
