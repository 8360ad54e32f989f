"""The summary that `nestwise verify` prints at the end."""

from __future__ import annotations

from nestwise import options
from nestwise.native import extension
from nestwise.reporting.collect import collect
from nestwise.reporting.formatting import counted
from nestwise.reporting.table import place
from nestwise.verifying.check import tallies


def differences() -> int:
    """Gives the number of runs that differed, so far."""
    return sum(t.differ for t in tallies.values())


def summary() -> str:
    """Gives as text what was compared."""
    compared = sum(t.compared for t in tallies.values())
    differ = differences()
    lines = []
    only = options.current().only
    if only and not compared:
        lines.append(
            f"call {only[2]} of a nest at {only[0]}:{only[1]} was not met, or ran in CPython"
        )
    for nest in () if only else collect()["nests"]:
        if not nest.get("launches"):
            why = [str(f.get("reason")) for f in nest.get("fallbacks") or ()]
            reason = f": {why[0]}" if why else ""
            lines.append(f"{place(nest)} never ran compiled{reason}")
        elif (nest.get("file"), nest.get("line")) not in tallies:
            lines.append(f"{place(nest)} ran compiled and was not compared")
    beside = 0
    if extension.loaded():
        import nestwise._core as core

        beside = core.passed_over()
    if beside:
        which = f"{counted(beside, 'run')} {'was' if beside == 1 else 'were'} not compared"
        lines.append(f"{which}, as other threads of Python's were alive")
    runs, nests = counted(compared, "run"), counted(len(tallies), "nest")
    verdict = f"{differ:,} differ" if differ else "no difference"
    lines.append(f"verify: {runs} of {nests} compared with CPython: {verdict}")
    return "\n".join(lines) + "\n"
