"""The notes and warnings of a process about its loops, gathered while it runs."""

from __future__ import annotations

import sys

from nestwise import options

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from nestwise.rewriting.sites import Loop

# What became of the loops of each loaded file, by its name.
loops: dict[str, list[Loop]] = {}
# What the report says beside its table: something that nestwise could not do.
notes: list[str] = []


def note(text: str) -> None:
    """Adds a line to the report's notes, once; a program that uses the package logs it, too."""
    if text not in notes:
        notes.append(text)
        if not options.command_line:
            import logging

            logging.getLogger("nestwise").info(text)


def warn(text: str) -> None:
    """Tells users: on standard error where the command runs, else by the logger `nestwise`."""
    if options.command_line:
        print(f"nestwise: {text}", file=sys.stderr)
    else:
        import logging

        logging.getLogger("nestwise").warning(text)
