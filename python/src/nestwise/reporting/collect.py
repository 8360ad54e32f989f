"""Collects what became of the loops of this process, as plain data."""

from __future__ import annotations

from nestwise import options
from nestwise.native import extension
from nestwise.reporting import diagnostics
from nestwise.reporting.data import as_data
from nestwise.version import VERSION

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from typing import Any


def collect() -> dict[str, Any]:
    """Gives the report as plain data. Times are in seconds."""
    nests: list[dict[str, Any]] = []
    panics: list[str] = []
    if extension.loaded():
        import nestwise._core as core

        nests = [as_data(nest) for nest in core.report()]
        panics = core.panics()
    functions, refused = {}, []
    for path, loops in diagnostics.loops.items():
        for loop in loops:
            functions[path, loop.line] = loop.function
            if not loop.is_site and not loop.depth:
                refused.append(
                    {
                        "file": path,
                        "line": loop.line,
                        "kind": loop.kind,
                        "function": loop.function,
                        "code": loop.code,
                        "message": loop.message,
                        "hint": loop.hint,
                        "reason_line": loop.reason_line,
                    }
                )
    for nest in nests:
        nest["function"] = functions.get((nest["file"], nest["line"]), "")
        nest["compiled_share"] = share([nest])
    return {
        "nestwise": VERSION,
        "options": {k: v for k, v in options.current().as_dict().items() if "report" not in k},
        "nests": nests,
        "refused": refused,
        "notes": list(diagnostics.notes),
        "panics": panics,
        "compiled_share": share(nests),
    }


def share(nests: list[dict[str, Any]]) -> float | None:
    """Gives the share of the time that CPython would have spent in these nests which was spent in
    native code instead.
    """
    total = compiled = 0.0
    for nest in nests:
        interpreted = nest.get("interpreted_s") or 0.0
        # What CPython would have taken for the compiled trips; at least what they took.
        saved = max(nest.get("replaced_s") or 0.0, nest.get("measured_s") or 0.0)
        compiled += saved
        total += saved + interpreted
    return compiled / total if total > 0.0 else None
