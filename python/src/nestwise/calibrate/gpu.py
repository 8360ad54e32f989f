"""Measures the weights of a graphics card from the differences between loops that do more of one
thing and less of it.

The weights are chosen so that the model (`costmodel/src/estimate/gpu/`) predicts for these loops
what was measured.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import nestwise._core as core
from nestwise.calibrate import measure, sections
from nestwise.native import extension

# Of the model.
SECTOR, BLOCK, CHAINED = 32.0, 256, 0.5
# Bytes of arrays that cross: hardly any, as many as one thread copies (of the model), and many.
LITTLE, FIRST, MUCH = 1 << 12, 1 << 18, 1 << 25
# Kernels one after the other, and iterations of a thread: some, and more.
FEW, MANY = 20, 220
SHORT, LONG = 200, 2200
# Operations of one iteration of the loops in `on_gpu.py`, the counter's step and test among them.
SIMPLE_OPS, SLOW_OPS, ACCESS_OPS = 4.0, 3.0, 3.0
# Where nothing tells: a function, in divisions.
CALL = 4.0
# Threads of a block of a kernel that runs loops as a whole (of the model).
COOPERATIVE_BLOCK = 256
# Streams go through so many bytes at a time, arrays together.
STREAMED = 3 << 27
LEAST_NS, MOST_NS = 1e-4, 1e9
CALLS = 3
# After so long, one round has to do.
MOST_S = 20.0


class Card(NamedTuple):
    """A graphics card, as its driver describes it."""

    name: str
    processors: int
    resident: int  # threads that one of them has room for
    cache: int  # bytes


class Took(NamedTuple):
    """The seconds of a call: in copies to the card, in copies from it, and in kernels."""

    up: float
    down: float
    kernels: float


class _Elsewhere(Exception):
    """A loop that did not run on the card."""


def gpu(
    card: Card, budget_s: float, progress: Callable[[float], None], device: str = "gpu"
) -> dict[str, Any] | None:
    """Measures the weights of a card; None where a loop did not run there. `device`: what runs the
    loops.
    """
    _configure(device)
    begun = time.perf_counter()
    rows: list[dict[str, Any]] = []
    spent = 0.0
    try:
        first = _first()
        while spent < budget_s or (len(rows) < measure.LEAST_ROUNDS and spent < MOST_S):
            rows.append(_round(card, device))
            spent = time.perf_counter() - begun
            progress(min(spent / budget_s, 1.0))
    except _Elsewhere:
        return None
    weights = first | _medians(rows)
    for ops in (weights["busy"], weights["latency"]):
        ops["call"] = ops["slow"] * CALL
    told = {"processors": card.processors, "resident": card.resident, "cache": card.cache}
    return weights | {name: float(count) for name, count in told.items()}


def _configure(device: str, cooperative: bool = False) -> None:
    # Copies are done by as many threads as later.
    sections.configure(device, prices=False, threads=0, cooperative=cooperative)


def _first() -> dict[str, float]:
    """Measures how much longer first kernels take than later ones: the context, then another nest's
    module.
    """
    found = []
    for name in ("crosses", "steps"):
        arguments = _arguments(name, BLOCK, 1)
        times = []
        for _ in range(3):
            begun = time.perf_counter()
            _call(name, arguments)
            times.append(time.perf_counter() - begun)
        found.append(times[0] - min(times[1:]))
    context, module = found
    return {"context": _nanos(context - module), "module": _nanos(module)}


def _round(card: Card, device: str) -> dict[str, Any]:
    """Measures every weight once, in nanoseconds."""
    up, down = _copies()
    few, many = (_took("steps", BLOCK, m).kernels for m in (FEW, MANY))
    each = (many - few) / (MANY - FEW)
    full = card.processors * card.resident
    cached = min(max(card.cache // 4, 3 * 8 * BLOCK), STREAMED) // 24
    return {
        "launch": _nanos(each),
        "kernel": _nanos(each),
        "wait": _nanos(few - each * FEW),
        "barrier": _nanos(_barrier(card, device)),
        "up": {k: _nanos(v) for k, v in up.items()},
        "down": {k: _nanos(v) for k, v in down.items()},
        "latency": _ops(lambda name: _slope(name, BLOCK) / CHAINED),
        "busy": _ops(lambda name: _slope(name, full) / card.resident),
        "cached": _nanos(_stream(cached, each) / (3 * 8 * cached / SECTOR)),
        # What is stored comes and goes.
        "memory": _nanos(_stream(STREAMED // 24, each) / (4 * STREAMED / 3 / SECTOR)),
    }


def _barrier(card: Card, device: str) -> float:
    """Measures the seconds of a step of one kernel that runs all steps, whose blocks wait for each
    other.
    """
    threads = card.processors * COOPERATIVE_BLOCK
    _configure(device, cooperative=True)
    try:
        few, many = (_took("steps", threads, m).kernels for m in (FEW, MANY))
    finally:
        _configure(device)
    return (many - few) / (MANY - FEW)


def _copies() -> tuple[dict[str, float], dict[str, float]]:
    """Measures copies to the card, and back. When the host is done with a copy to the card, the
    card may still be at it: that time, too, is waited for, and counted with the copies back.
    """
    took = {n: _took("crosses", n // 8, 1) for n in (LITTLE, FIRST, MUCH)}
    # Two arrays go up and one comes down.
    ups = {n: t.up / 2 for n, t in took.items()}
    downs = {n: t.down + t.kernels for n, t in took.items()}
    up, down = (
        {
            "first": (of[FIRST] - of[LITTLE]) / (FIRST - LITTLE),
            "byte": (of[MUCH] - of[FIRST]) / (MUCH - FIRST),
        }
        for of in (ups, downs)
    )
    up["copy"] = ups[LITTLE] - up["first"] * LITTLE
    # Three arrays that go up and come down beside one; the first is part of the wait.
    one, three = (_took(name, BLOCK, 1) for name in ("fills", "fills_three"))
    down["copy"] = (sum(three) - sum(one)) / 2 - up["copy"]
    return up, down


def _ops(slope: Callable[[str], float]) -> dict[str, float]:
    """Computes the nanoseconds of each kind of operation from the times that `slope` gives for an
    iteration of each loop.
    """
    simple = slope("simple") / SIMPLE_OPS
    slow = slope("slow") - SLOW_OPS * simple
    access = slope("access") - ACCESS_OPS * simple
    return {"simple": _nanos(simple), "slow": _nanos(slow), "access": _nanos(access)}


def _slope(name: str, threads: int) -> float:
    """Measures the seconds of one more iteration of each thread."""
    short, long = (_took(name, threads, m).kernels for m in (SHORT, LONG))
    return (long - short) / (LONG - SHORT)


def _stream(elements: int, each: float) -> float:
    """Measures the seconds of going through three arrays, without the kernel's own part."""
    few, many = (_took("streams", elements, m).kernels for m in (2, 12))
    return (many - few) / 10 - each


def _took(name: str, elements: int, m: int) -> Took:
    """Gives the best of a few calls; the first one finds the caches as other code has left them."""
    arguments = _arguments(name, elements, m)
    return min((_call(name, arguments) for _ in range(CALLS)), key=sum)


def _arguments(name: str, elements: int, m: int) -> tuple[Any, ...]:
    import numpy as np

    function = sections.handled("on_gpu")[name]
    given = {
        "a": np.ones(max(elements, LONG)),
        "b": np.ones(elements),
        "o": np.ones(elements),
        "p": np.ones(elements),
        "q": np.ones(elements),
        "m": m,
    }
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return tuple(given[n] for n in names)


def _call(name: str, arguments: tuple[Any, ...]) -> Took:
    """Times one call, by nestwise's own measuring."""
    function = sections.handled("on_gpu")[name]
    before = _sums(function)
    function(*arguments)
    after = _sums(function)
    up, down, all_, launches = (b - a for a, b in zip(before, after, strict=True))
    if not launches:
        raise _Elsewhere(name)
    return Took(up, down, max(all_ - up - down, 0.0))


def _sums(function: Callable[..., Any]) -> tuple[float, float, float, int]:
    extension.require()
    nests = core.report(function.__code__.co_filename, _lines(function))
    return (
        sum(nest.transfers.seconds_up for nest in nests),
        sum(nest.transfers.seconds_down for nest in nests),
        sum(nest.measured_s for nest in nests),
        sum(nest.means.get("grid", 0) for nest in nests),
    )


def _lines(function: Callable[..., Any]) -> set[int]:
    return {line for _, _, line in function.__code__.co_lines() if line}


def _nanos(seconds: float) -> float:
    """Gives a time in nanoseconds, within the limits of a profile."""
    return min(max(seconds * 1e9, LEAST_NS), MOST_NS)


def _medians(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Gives the median of each weight."""
    return {
        name: _medians([row[name] for row in rows])
        if isinstance(value, dict)
        else statistics.median(row[name] for row in rows)
        for name, value in rows[0].items()
    }
