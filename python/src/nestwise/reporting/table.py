"""The report as text: a table of the nests, then what was refused and what went wrong."""

from __future__ import annotations

import os

from nestwise.reporting.formatting import count, seconds

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from typing import Any

HEADINGS = (
    "nest",
    "calls",
    "trips",
    "verdict",
    "device",
    "predicted",
    "measured",
    "compile",
    "share",
)


def render(data: dict[str, Any], colour: bool = False) -> str:
    """Formats the report as text: a table of the nests, then what was refused and what
    went wrong.
    """
    rows: list[tuple[list[str], list[str]]] = [(list(HEADINGS), [])]
    for nest in sorted(data["nests"], key=lambda n: (n.get("file", ""), n.get("line", 0))):
        rows.append((_row(nest), _why(nest)))
    widths = [max(len(row[i]) for row, _ in rows) for i in range(len(HEADINGS))]
    lines = []
    for number, (row, why) in enumerate(rows):
        text = "  ".join(_padded(i, cell, widths[i]) for i, cell in enumerate(row)).rstrip()
        lines.append(_paint(text, "1" if number == 0 else _shade(row[-1]), colour))
        lines += [_paint(f"    {line}", "2", colour) for line in why]
    if len(rows) == 1:
        lines = ["nestwise: no loop nest was met"]
    for loop in data["refused"]:
        hint = f"; {loop['hint']}" if loop["hint"] else ""
        lines.append(f"{place(loop)}  stays in CPython: {loop['message']}{hint}")
    lines += [f"note: {note}" for note in data["notes"]]
    lines += [f"note: internal failure: {panic}" for panic in data["panics"]]
    if data["compiled_share"] is not None:
        lines.append(f"{data['compiled_share']:.1%} of the loop time ran compiled")
    return "\n".join(lines) + "\n"


def _row(nest: dict[str, Any]) -> list[str]:
    part = nest.get("compiled_share")
    return [
        place(nest),
        count(nest.get("calls")),
        count(nest.get("iterations")),
        str(nest.get("verdict") or "-"),
        str(nest.get("device") or "-"),
        seconds(nest.get("predicted_s")),
        seconds(nest.get("measured_s")),
        seconds(nest.get("compile_s")),
        "-" if part is None else f"{part:.0%}",
    ]


def _why(nest: dict[str, Any]) -> list[str]:
    lines = []
    calls, expected = nest.get("declined") or 0, nest.get("declined_s") or {}
    if calls and expected.get("interpreter"):
        means = [seconds(expected[k] / calls) for k in ("interpreter", "native", "compile")]
        lines.append(
            "{} x begun in CPython: about {} there, {} compiled and {} to compile".format(
                calls, *means
            )
        )
    for fallback in nest.get("fallbacks") or ():
        if not isinstance(fallback, dict):
            fallback = {"reason": str(fallback)}
        count = fallback.get("count") or 1
        at = f" (line {fallback['line']})" if fallback.get("line") else ""
        lines.append(f"{count} x to CPython: {fallback.get('reason', '?')}{at}")
    return lines


def place(nest: dict[str, Any]) -> str:
    """Gives `file:line function` of a nest, with the file relative to the current folder if it is
    below.
    """
    path = str(nest.get("file", "?"))
    short = os.path.relpath(path) if os.path.isabs(path) else path
    if short.startswith(".."):
        short = path
    function = nest.get("function")
    return f"{short}:{nest.get('line', '?')}" + (f" {function}" if function else "")


def _padded(column: int, cell: str, width: int) -> str:
    return cell.ljust(width) if column in (0, 3, 4) else cell.rjust(width)


def _shade(cell: str) -> str:
    """Colours a cell: green where nearly all ran natively, yellow where some did, red where nothing
    did.
    """
    if not cell.endswith("%"):
        return "0"
    percent = int(cell[:-1])
    return "32" if percent >= 95 else "33" if percent else "31"


def _paint(text: str, code: str, colour: bool) -> str:
    return f"\033[{code}m{text}\033[0m" if colour and code != "0" else text
