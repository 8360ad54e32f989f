"""What became of the loops of this process: as data, as a table, as JSON."""

from __future__ import annotations

import os
import sys

from nestwise import config

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from typing import Any


def collect() -> dict[str, Any]:
    """The report as plain data. Times are in seconds."""
    import nestwise
    from nestwise import importer

    core = config.loaded_core()
    nests = [dict(nest) for nest in core.report()] if core is not None else []
    functions, refused = {}, []
    for path, loops in importer.loops.items():
        for line, kind, function, depth, is_site, code, message, hint, at in loops:
            functions[path, line] = function
            if not is_site and not depth:
                refused.append(
                    {
                        "file": path,
                        "line": line,
                        "kind": kind,
                        "function": function,
                        "code": code,
                        "message": message,
                        "hint": hint,
                        "reason_line": at,
                    }
                )
    for nest in nests:
        if not nest.get("function"):
            nest["function"] = functions.get((nest.get("file"), nest.get("line")), "")
        nest.setdefault("compiled_share", share([nest]))
    return {
        "nestwise": nestwise.__version__,
        "options": {k: v for k, v in config.options().as_dict().items() if "report" not in k},
        "nests": nests,
        "refused": refused,
        "notes": list(config.notes),
        "panics": core.panics() if core is not None else [],
        "compiled_share": share(nests),
    }


def share(nests: list[dict[str, Any]]) -> float | None:
    """How much of the time CPython would have spent in these nests ran compiled instead."""
    total = compiled = 0.0
    for nest in nests:
        interpreted = nest.get("interpreted_s") or 0.0
        # What CPython would have taken for the compiled trips; at least what they took.
        saved = max(nest.get("replaced_s") or 0.0, nest.get("measured_s") or 0.0)
        compiled += saved
        total += saved + interpreted
    return compiled / total if total > 0.0 else None


def at_exit(options: config.Options) -> None:
    """Writes the report when this process ends, after everything the program registers itself."""
    import atexit

    process = os.getpid()

    def write() -> None:
        if os.getpid() == process:  # not in a fork of it
            _write(options)

    atexit.register(write)


def _write(options: config.Options) -> None:
    stream = sys.stderr
    try:
        data = collect()
        if options.report == "json":
            import json

            text = json.dumps(data, indent=2, default=str) + "\n"
        else:
            text = render(data, colour=_coloured(options))
        if options.report_file is None:
            if stream is not None:
                stream.write(text)
        else:
            with open(options.report_file, "w", encoding="utf-8") as file:
                file.write(text)
    except Exception as error:
        where = options.report_file or "standard error"
        print(f"nestwise: cannot write the report to {where}: {error}", file=stream)


def _coloured(options: config.Options) -> bool:
    if options.report_file is not None or os.environ.get("NO_COLOR"):
        return False
    isatty = getattr(sys.stderr, "isatty", None)
    return bool(isatty and isatty()) and os.environ.get("TERM") != "dumb"


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
    """The report as text: a table of the nests, then what was refused and what went wrong."""
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
        _number(nest.get("calls")),
        _number(nest.get("iterations")),
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
    path = str(nest.get("file", "?"))
    short = os.path.relpath(path) if os.path.isabs(path) else path
    if short.startswith(".."):
        short = path
    function = nest.get("function")
    return f"{short}:{nest.get('line', '?')}" + (f" {function}" if function else "")


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else "-"


def seconds(value: Any) -> str:
    """A time with three digits and its unit."""
    if not isinstance(value, (int, float)):
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns" if value > 0 else "0"


def _padded(column: int, cell: str, width: int) -> str:
    return cell.ljust(width) if column in (0, 3, 4) else cell.rjust(width)


def _shade(cell: str) -> str:
    """Green where nearly all ran compiled, yellow where some did, red where nothing did."""
    if not cell.endswith("%"):
        return "0"
    percent = int(cell[:-1])
    return "32" if percent >= 95 else "33" if percent else "31"


def _paint(text: str, code: str, colour: bool) -> str:
    return f"\033[{code}m{text}\033[0m" if colour and code != "0" else text
