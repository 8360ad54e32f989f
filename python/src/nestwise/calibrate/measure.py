"""Times of many small things, measured in turn until they are sure enough."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from nestwise.oracle.pace import mix

# Time of this thread alone: what others do on the machine is not ours.
clock = time.thread_time
# A sample takes so long at least, that looking at the clock is nothing beside it.
SAMPLE_S = 60e-6
MOST_CALLS = 2000
# Of the loop that tells the pace.
PACE_TRIPS = 2000
# So many rounds at least, and looks at how sure the medians are every so many.
LEAST_ROUNDS, ROUNDS_A_LOOK = 5, 10
# This part of the medians has to be sure.
NEARLY = 0.95


class Probe(NamedTuple):
    """Something to time: calls with the same arguments."""

    name: str
    function: Callable
    arguments: tuple


class Timing(NamedTuple):
    seconds: float  # a call
    error: float  # standard error, as a share of it
    samples: int


class Progress:
    """A line on a terminal that fills."""

    def __init__(self, stream: Any, width: int = 40) -> None:
        self.stream = stream if stream is not None and stream.isatty() else None
        self.width = width
        self.last = -1

    def show(self, share: float, what: str) -> None:
        filled = int(self.width * min(max(share, 0.0), 1.0))
        if self.stream is not None and filled != self.last:
            bar = "#" * filled + "." * (self.width - filled)
            self.stream.write(f"\r[{bar}] {what:<24}")
            self.stream.flush()
            self.last = filled

    def done(self) -> None:
        if self.stream is not None and self.last >= 0:
            self.stream.write("\r" + " " * (self.width + 27) + "\r")
            self.stream.flush()
        self.last = -1


class Pace:
    """What a fixed loop takes CPython while something else is measured, told by its progress: the
    machine may be half as fast in one section as in the next."""

    def __init__(self, progress: Callable[[float], None]) -> None:
        self.progress = progress
        self.taken: list[float] = []

    def __call__(self, share: float) -> None:
        begun = clock()
        mix(PACE_TRIPS)
        self.taken.append(clock() - begun)
        self.progress(share)

    def seconds(self) -> float:
        return statistics.median(self.taken)


def timings(
    probes: list[Probe],
    budget_s: float,
    enough: float,
    summary: Callable,
    progress: Callable[[float], None],
) -> dict[str, Timing]:
    """Times of a call of each probe, all in turn, round after round, until the standard error of
    nearly every median is below `enough` of it or `budget_s` is spent. All are measured as often:
    a machine is now faster, now slower, and what is compared has to share that.
    """
    calls = {p.name: _calls(p) for p in probes}
    samples: dict[str, list[float]] = {p.name: [] for p in probes}
    found: dict[str, Timing] = {}
    begun = time.perf_counter()
    collecting = gc.isenabled()
    gc.disable()
    try:
        round_ = 0
        sure = False
        while not sure:
            for probe in probes:
                samples[probe.name].append(_sample(probe, calls[probe.name]))
            round_ += 1
            spent = time.perf_counter() - begun
            over = spent >= budget_s and round_ >= LEAST_ROUNDS
            if over or round_ % ROUNDS_A_LOOK == 0:
                progress(spent / budget_s)
                for probe in probes:
                    median, error, kept = summary(samples[probe.name])
                    found[probe.name] = Timing(median, error / median, kept)
                errors = sorted(t.error for t in found.values())
                sure = over or errors[int(len(errors) * NEARLY)] <= enough
    finally:
        if collecting:
            gc.enable()
    return found


def _calls(probe: Probe) -> int:
    """Calls in a sample. The first ones also warm up what is called."""
    for _ in range(10):
        probe.function(*probe.arguments)
    took = min(_sample(probe, 1) for _ in range(3))
    return min(max(int(SAMPLE_S / max(took, 1e-8)), 1), MOST_CALLS)


def _sample(probe: Probe, calls: int) -> float:
    function, arguments = probe.function, probe.arguments
    turns = range(calls)
    begun = clock()
    for _ in turns:
        function(*arguments)
    return max(clock() - begun, 1e-9) / calls
