"""`nestwise explain script.py`: each loop of a script, and whether it is a site or why not."""

from __future__ import annotations

import json
import sys

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from typing import Any


def main(arguments: list[str]) -> int:
    as_json = "--json" in arguments
    paths = [a for a in arguments if a != "--json"]
    if len(paths) != 1 or paths[0].startswith("-"):
        print("nestwise: usage: nestwise explain [--json] script.py", file=sys.stderr)
        return 2
    path = paths[0]
    try:
        with open(path, "rb") as file:
            source = file.read()
        loops = explain(source, path)
    except OSError as error:
        print(f"nestwise: cannot read {path!r}: {error.strerror}", file=sys.stderr)
        return 2
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        where = f"{path}:{line}" if line else path
        print(f"nestwise: {where}: {getattr(error, 'msg', error)}", file=sys.stderr)
        return 2
    if loops is None:
        return 1
    if as_json:
        print(json.dumps({"file": path, "loops": loops}, indent=2))
    else:
        print("\n".join(_lines(path, loops)))
    return 0


def explain(source: bytes, path: str) -> list[dict[str, Any]] | None:
    """The loops of a source in order; None where the native part is not there to ask."""
    from nestwise import codecache, config, rewrite, sources

    core = config.core()
    if core is None:
        return None
    compile(source, path, "exec", dont_inherit=True)
    tag = codecache.tag(source)
    made = rewrite.rewrite(source, sources.decode(source), path, tag, core.lower)
    return [loop._asdict() for loop in sorted(made.loops, key=lambda x: (x.line, x.depth))]


def _lines(path: str, loops: list[dict[str, Any]]) -> list[str]:
    lines = []
    for loop in loops:
        where = f"{path}:{loop['line']}"
        function = f" in {loop['function']}" if loop["function"] else ""
        what = f"{where}: {loop['kind']}{function}: "
        if loop["is_site"]:
            inside = ", tried again inside the loop around it" if loop["depth"] else ""
            lines.append(f"{what}a site{inside}")
            continue
        at = f" (line {loop['reason_line']})" if loop["reason_line"] != loop["line"] else ""
        lines.append(f"{what}stays in CPython: {loop['message']}{at} [{loop['code']}]")
        if loop["hint"]:
            lines.append(f"    {loop['hint']}")
    return lines or [f"{path}: no loops"]
