"""The report that is written when a process ends."""

from __future__ import annotations

import os
import sys

from nestwise.reporting.collect import collect
from nestwise.reporting.table import render

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from nestwise.options import Options


def at_exit(chosen: Options) -> None:
    """Writes the report when this process ends, after everything the program registers itself."""
    import atexit

    process = os.getpid()

    def write() -> None:
        if os.getpid() == process:  # not in a fork of it
            _write(chosen)

    atexit.register(write)


def _write(chosen: Options) -> None:
    stream = sys.stderr
    try:
        data = collect()
        if chosen.report == "json":
            import json

            text = json.dumps(data, indent=2, default=str) + "\n"
        else:
            text = render(data, colour=_coloured(chosen))
        if chosen.report_file is None:
            if stream is not None:
                stream.write(text)
        else:
            with open(chosen.report_file, "w", encoding="utf-8") as file:
                file.write(text)
    except Exception as error:
        where = chosen.report_file or "standard error"
        print(f"nestwise: cannot write the report to {where}: {error}", file=stream)


def _coloured(chosen: Options) -> bool:
    if chosen.report_file is not None or os.environ.get("NO_COLOR"):
        return False
    isatty = getattr(sys.stderr, "isatty", None)
    return bool(isatty and isatty()) and os.environ.get("TERM") != "dumb"
