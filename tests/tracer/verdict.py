"""What the dependences of a loop say about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .depend import Dependences, Findings

SERIAL, REDUCTION, PARALLEL, UNSEEN = "serial", "reduction", "parallel", "unseen"


def describe(found: Dependences) -> list[dict[str, Any]]:
    """Every loop of the script with what its trace shows, in the order of the text."""
    numbered = sorted(found.findings, key=lambda f: f.loop.line)
    return [_loop(findings) for findings in numbered]


def _loop(findings: Findings) -> dict[str, Any]:
    loop = findings.loop
    verdict, because = _verdict(findings)
    carried = {site.name for flow in findings.serial for site in flow[:2]}
    # What is a reduction in one execution may be none in another.
    reductions = {op: names - carried for op, names in findings.reductions.items()}
    reduced = set().union(*reductions.values(), findings.companions)
    inductions = findings.inductions - carried
    private = findings.overwritten - carried - reduced - inductions - loop.targets
    return {
        "line": loop.line,
        "var": loop.variable,
        "depth": loop.depth,
        "function": loop.function,
        "executions": findings.executions,
        "iterations": findings.iterations,
        "verdict": verdict,
        "because": because,
        "carried": sorted(carried),
        "op": sorted(op for op, names in reductions.items() if names),
        "private": sorted(private),
        "induction": sorted(inductions),
        "distributable": because == "flow" and _distributable(findings, carried, reduced),
        "dependences": _dependences(findings),
    }


def _verdict(findings: Findings) -> tuple[str, str | None]:
    """Anti and output dependences do not count: what they are about can be privatised."""
    if not findings.executions:
        return UNSEEN, None
    if findings.loop.kind == "while":
        return SERIAL, "while"
    if findings.left_early:
        return SERIAL, "exit"
    if findings.fed_by_generator:
        return SERIAL, "generator"
    if findings.serial:
        return SERIAL, "flow"
    return (REDUCTION if findings.reductions else PARALLEL), None


# Distribution


def _distributable(findings: Findings, carried: set[str], reduced: set[str]) -> bool:
    """Whether a group of statements could be a loop of its own and parallel.

    Groups are the strongly connected components of the dependences between the statements
    directly in the body (Kennedy and McKinley, Loop distribution with arbitrary control flow,
    1990). A variable that carries no value between iterations can be given a place for each
    iteration, so its anti and output dependences bind nothing; and a group that only assigns such
    variables is not worth a loop. What follows a `continue` depends on it.
    """
    flow = {(source, sink) for _, _, source, sink in findings.serial}
    edges = flow | findings.within
    edges |= {(a, b) for a, b, one, two in findings.orders if one in carried or two in carried}
    statements = range(-1, findings.loop.statements)
    edges |= {(jump, later) for jump in findings.loop.jumps for later in statements if later > jump}
    reached = {s: _reachable(s, edges) for s in statements}

    def together(a: int, b: int) -> bool:
        return a == b or (b in reached[a] and a in reached[b])

    return any(
        statement >= 0
        and (not variable or name in reduced)
        and not any(together(statement, a) and together(a, b) for a, b in flow)
        for statement, name, variable in findings.writers
    )


def _reachable(start: int, edges: set[tuple[int, int]]) -> set[int]:
    reached: set[int] = set()
    waiting = [start]
    while waiting:
        here = waiting.pop()
        for a, b in edges:
            if a == here and b not in reached:
                reached.add(b)
                waiting.append(b)
    return reached


# Dependences


def _dependences(findings: Findings) -> list[dict[str, Any]]:
    """Sites of the same line and name are one source or sink."""
    merged: dict[tuple, set[tuple]] = {}
    for (kind, source, sink, value, loops), distances in findings.pairs.items():
        ends = (source.line, sink.line, source.name, sink.name)
        merged.setdefault((kind, *ends, value, loops), set()).update(distances)
    order = sorted(merged.items(), key=lambda item: (*item[0][1:5], item[0][0], *item[0][5:]))
    return [
        {
            "kind": kind,
            "name": name,
            "sink_name": sink_name,
            "source_line": source,
            "sink_line": sink,
            "direction": [_direction(column) for column in zip(*distances, strict=True)],
            "distance": [_distance(column) for column in zip(*distances, strict=True)],
            "value_based": value,
        }
        for (kind, source, sink, name, sink_name, value, _), distances in order
    ]


def _direction(distances: Iterable[float]) -> str:
    """`<` where the sink's iteration is the later one."""
    signs = {"<" if d > 0 else ">" if d < 0 else "=" for d in distances}
    return "*" if {"<", ">"} <= signs else "".join(sorted(signs))


def _distance(distances: Iterable[float]) -> int | None:
    seen = set(distances)
    only = seen.pop()
    return only if not seen and isinstance(only, int) else None
