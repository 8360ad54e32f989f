"""What calls take more that come seldom: others have had the caches and the branch predictors."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable

from nestwise import config
from nestwise.calibrate import data, sections
from nestwise.calibrate.measure import Probe, Timing
from nestwise.calibrate.sections import Section

# Elements of loops on one core, and of such as several threads share.
LENGTH, SHARED = 16, 256
LEAST_ROUNDS = 5
# Cold calls in a row, with others between: the first one comes after many probes, which is more
# than a program does between two calls of a loop that it calls again and again.
COLD = 4
# Between calls on threads others take so long at least: helpers are fast asleep by then.
ASLEEP_S = 2e-3
# Calls in a row after them; the first of them still have something to fetch.
WARM = 6
LEAST_S = 1e-8
BOUND = ("scalar", "array", "list", "live_out")


# The part of the time that goes to launches on threads.
ON_THREADS = 0.2


def cold(budget_s: float, progress: Callable[[float], None]) -> Section:
    """The weights of what is cold: in launches, in CPython, in threads that are woken."""
    counts, more = _measured("serial", 1, budget_s * (1.0 - ON_THREADS), progress)
    cores = config.core().cores()
    if cores > 1:
        woken, by_threads = _measured("threads", cores, budget_s * ON_THREADS, lambda _: None)
        counts, more = counts | woken, more | by_threads
    held = [name for name in counts if name.startswith("held_")]
    fitting = [name for name in counts if name not in held]
    return sections.fitted("cold", fitting, held, counts, more)


def _measured(
    device: str, threads: int, budget_s: float, progress: Callable[[float], None]
) -> tuple[dict[str, dict[str, float]], dict[str, Timing]]:
    """(what calls do, what cold ones take more); on one core those of CPython, too."""
    counts, probes = _probes(device, threads)
    sections.configure(device, prices=False, threads=threads)
    samples: dict[str, list[float]] = {p.name: [] for p in probes}
    begun, rounds = time.perf_counter(), 0
    while rounds < LEAST_ROUNDS or time.perf_counter() - begun < budget_s:
        for probe in probes:
            samples[probe.name].append(_more(probe, 0.0 if threads == 1 else ASLEEP_S))
        rounds += 1
        progress((time.perf_counter() - begun) / budget_s)
    more: dict[str, Timing] = {}
    for name, all_ in samples.items():
        median, error, kept = config.core().summary(all_)
        # A difference below zero says nothing.
        more[name] = Timing(max(median, LEAST_S), error / max(median, LEAST_S), kept)
    return counts, more


def _probes(device: str, threads: int) -> tuple[dict[str, dict[str, float]], list[Probe]]:
    sections.configure(device, prices=True, threads=threads)
    given = data.launch_values(LENGTH if threads == 1 else SHARED)
    in_cpython = sections.plain("launches")
    counts: dict[str, dict[str, float]] = {}
    probes: list[Probe] = []
    for name, function in sections.handled("launches").items():
        arguments = data.arguments(function, given)
        before = sections.threaded(function)
        work, nest = sections.counted(function, arguments, "launch_work")
        woken = sections.threaded(function) > before
        if not work or nest["fallbacks"] or woken != (threads > 1):
            continue
        counts[f"{name} on {device}"] = {
            "launch": work["launch"],
            "full": work.get("full", 0.0),
            "bound": sum(work.get(kind, 0.0) for kind in BOUND),
            "fork_join": float(woken),
        }
        probes.append(Probe(f"{name} on {device}", function, arguments))
        if not woken:
            counts[f"{name} in CPython"] = {"interpreter": 1.0}
            probes.append(Probe(f"{name} in CPython", in_cpython[name], arguments))
    return counts, probes


def _more(probe: Probe, apart_s: float) -> float:
    """Seconds that a cold call takes more than others; so long at least lies between cold ones."""

    def taken() -> float:
        begun = time.perf_counter()
        probe.function(*probe.arguments)
        return time.perf_counter() - begun

    times = []
    for _ in range(COLD):
        _others(apart_s)
        times.append(taken())
    warm = [taken() for _ in range(WARM)]
    return statistics.median(times[1:]) - statistics.median(warm[WARM // 2 :])


def _others(seconds: float) -> None:
    """What a program does meanwhile, for so long at least."""
    begun = time.perf_counter()
    _mixture()
    while time.perf_counter() - begun < seconds:
        _mixture()


def _mixture() -> None:
    """Some hundred microseconds of code and data of all kinds."""
    import numpy as np

    parser = argparse.ArgumentParser(description="sizes")
    parser.add_argument("--size", default="small", help="how many")
    parser.add_argument("--form", default="list", choices=["list", "ndarray"])
    parser.parse_args(["--size", "3"])
    json.loads(json.dumps({"sizes": [1, 2, 3], "names": {"one": "x" * 100}}))
    values = np.random.default_rng(1).uniform(size=1000)
    f"{np.sort(values).mean():.3f}".encode()
    sum(values.tolist())
