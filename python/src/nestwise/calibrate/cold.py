"""Measures how much longer a cold call takes: one before which other code has used the caches and
the branch predictors.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import nestwise._core as core
from nestwise.calibrate import data, sections
from nestwise.calibrate.measure import Pace, Probe, Rounds, Timing
from nestwise.calibrate.sections import Section
from nestwise.native import extension

# Elements of loops on one core, and of such as several threads share, and iterations of these.
LENGTH, SHARED, ITERATIONS = 16, 512, 32
# Cold calls in a row, with others between: the first one comes after many probes, which is more
# than a program does between two calls of a loop that it calls again and again.
COLD = 4
# Between calls on threads others take so long at least: helpers are fast asleep by then.
ASLEEP_S = 2e-3
# Calls in a row after them; the first of them still have something to fetch.
WARM = 6
LEAST_S = 1e-8
BOUND = ("scalar", "array", "list", "live_out")


# The part of the time that goes to launches on one core.
ON_ONE_CORE = 0.6
# Calls after which it is known that a loop is left to CPython, and the trips of such.
SETTLED, LEFT_TRIPS = 2000, 4
# Arguments of probes that have a loop in another one.
NESTED = frozenset(("n8", "k8", "m", "rows"))


def cold(budget_s: float, pace: Pace) -> Section:
    """Measures the weights of cold calls: in launches, in CPython, in threads that are woken."""
    counts, more = _measured("serial", 1, Rounds(budget_s * ON_ONE_CORE, pace, (0, ON_ONE_CORE)))
    extension.require()
    cores = core.cores()
    rest_s = budget_s * (1.0 - ON_ONE_CORE) / 2.0
    for device, threads in (("auto", 1), ("threads", cores))[: 2 if cores > 1 else 1]:
        rounds = Rounds(rest_s, pace, (ON_ONE_CORE, 1))
        counts_there, more_there = _measured(device, threads, rounds)
        counts, more = counts | counts_there, more | more_there
    held = [name for name in counts if name.startswith("held_")]
    fitting = [name for name in counts if name not in held]
    return sections.fitted("cold", fitting, held, counts, more)


class _Cold(NamedTuple):
    """A call that is timed after other code has used the caches."""

    probe: Probe
    does: dict[str, float]
    before: Probe | None  # another one that is called right before


def _measured(
    device: str, threads: int, rounds: Rounds
) -> tuple[dict[str, dict[str, float]], dict[str, Timing]]:
    """Gives the work of each call, and how much longer it takes when it is cold."""
    probes = _left() if device == "auto" else _launched(device, threads)
    sections.configure(device, prices=False, threads=threads)
    samples: list[list[float]] = [[] for _ in probes]
    for _ in rounds:
        for one, found in zip(probes, samples, strict=True):
            found.append(_more(one, ASLEEP_S if threads > 1 else 0.0))
    more: dict[str, Timing] = {}
    for one, all_ in zip(probes, samples, strict=True):
        one_s = core.summary(rounds.quiet(all_))
        # A difference below zero says nothing.
        median = max(one_s.median, LEAST_S)
        more[one.probe.name] = Timing(median, one_s.error / median, one_s.kept)
    return {one.probe.name: one.does for one in probes}, more


def _launched(device: str, threads: int) -> list[_Cold]:
    """Makes calls of launches by themselves and, on one core, right after another launch."""
    sections.configure(device, prices=True, threads=threads)
    given = data.launch_values(LENGTH if threads == 1 else SHARED)
    if threads > 1:
        # The usual few iterations would leave nothing to share, and no thread would be woken.
        given["n1"] = ITERATIONS
    probes: list[_Cold] = []
    for name, function in sections.handled("launches").items():
        arguments = data.arguments(function, given)
        before = sections.threaded(function)
        work, nest = sections.counted(function, arguments, "launch_work")
        woken = sections.threaded(function) > before
        if not (work and nest) or nest.fallbacks or woken != (threads > 1):
            continue
        does = {
            "launch": work["launch"],
            "full": min(work.get("full", 0.0), 1.0),
            "bound": sum(work.get(kind, 0.0) for kind in BOUND),
            "fork_join": float(woken),
        }
        probes.append(_Cold(Probe(f"{name} on {device}", function, arguments), does, None))
    return probes + ([] if threads > 1 else list(map(_after, probes, [*probes[1:], probes[0]])))


def _after(one: _Cold, other: _Cold) -> _Cold:
    """Makes the call of a launch right after another nest was launched."""
    does = {**one.does, "launch": 0.0, "full": 0.0, "shared": one.does["launch"]}
    return _Cold(one.probe._replace(name=f"{one.probe.name}, after others"), does, other.probe)


def _left() -> list[_Cold]:
    """Makes calls of loops so short that they are left to CPython, with little to do
    and with more.
    """
    given = data.launch_values(LENGTH)
    short = given | {"n": LEFT_TRIPS, "n1": LEFT_TRIPS}
    probes = []
    for module in ("launches", "mixed"):
        for k, (name, function) in enumerate(sections.handled(module).items()):
            # Every other loop of `mixed` is held back: it tells how good the weights are.
            name = f"held_{name}" if module == "mixed" and k % 2 else name
            kinds = _kinds(function, given)
            if kinds is None:
                continue
            arguments = data.arguments(function, short)
            for _ in range(SETTLED):
                function(*arguments)
            before = sections.launches_of(function)
            for _ in range(WARM):
                function(*arguments)
            if sections.launches_of(function) == before:
                probe = Probe(f"{name} in CPython", function, arguments)
                probes.append(_Cold(probe, {"interpreter": 1.0, "kind": kinds}, None))
    return probes


def _kinds(function: Callable[..., Any], given: dict[str, Any]) -> float | None:
    """Counts the kinds of work in an iteration of a probe's only loop; None where that is not
    known.
    """
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    trips = next((name for name in ("n", "n1") if name in names), None)
    if trips is None or not NESTED.isdisjoint(names):
        return None
    sections.configure("auto", prices=True)
    done = []
    for times in (1, 2):
        arguments = data.arguments(function, given | {trips: times})
        work, _ = sections.counted(function, arguments, "work")
        done.append(work)
    sections.configure("auto", prices=False)
    once, twice = done
    return float(sum(twice[kind] > once.get(kind, 0.0) for kind in twice)) or None


def _more(one: _Cold, apart_s: float) -> float:
    """Measures how many seconds longer a cold call takes than a warm one, with at least `apart_s`
    seconds of other work before each cold call.
    """

    def taken(probe: Probe) -> float:
        begun = time.perf_counter()
        probe.function(*probe.arguments)
        return time.perf_counter() - begun

    times = []
    for _ in range(COLD):
        _others(apart_s)
        if one.before is not None:
            taken(one.before)
        times.append(taken(one.probe))
    warm = [taken(one.probe) for _ in range(WARM)]
    return statistics.median(times[1:]) - statistics.median(warm[WARM // 2 :])


def _others(seconds: float) -> None:
    """Does the work of a program between two calls, for at least this many seconds."""
    begun = time.perf_counter()
    _mixture()
    while time.perf_counter() - begun < seconds:
        _mixture()


def _mixture() -> None:
    """Runs some hundred microseconds of code and data of all kinds."""
    import numpy as np

    parser = argparse.ArgumentParser(description="sizes")
    parser.add_argument("--size", default="small", help="how many")
    parser.add_argument("--form", default="list", choices=["list", "ndarray"])
    parser.parse_args(["--size", "3"])
    json.loads(json.dumps({"sizes": [1, 2, 3], "names": {"one": "x" * 100}}))
    values = np.random.default_rng(1).uniform(size=1000)
    f"{np.sort(values).mean():.3f}".encode()
    sum(values.tolist())
