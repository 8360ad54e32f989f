"""Measures the times of many small things in turn until they are sure enough."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from nestwise.oracle.pace import mix

# Time of this thread alone: what others do on the machine is not ours.
clock = time.thread_time
# A sample takes so long at least, that looking at the clock is nothing beside it.
SAMPLE_S = 60e-6
MOST_CALLS = 2000
# Of the loop that tells the pace.
PACE_TRIPS = 2000
# A part of all its times is better than what it is held to, which are by chance; it takes so much
# longer while others disturb. So much longer is measured to have rounds in which they do not.
BEST_OF, UNDISTURBED, LONGER = 20, 1.15, 2.0
# So many rounds at least, and looks at how sure the medians are every so many.
LEAST_ROUNDS, ROUNDS_A_LOOK = 5, 10
# This part of the medians has to be sure.
NEARLY = 0.95

T = TypeVar("T")


class Probe(NamedTuple):
    """A function to time, in calls with the same arguments."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class Timing(NamedTuple):
    """The time of a call, and how sure it is."""

    seconds: float  # a call
    error: float  # standard error, as a share of it
    samples: int


class Progress:
    """A progress bar on a terminal."""

    def __init__(self, stream: Any, width: int = 40) -> None:
        self.stream = stream if stream is not None and stream.isatty() else None
        self.width = width
        self.last = -1

    def show(self, share: float, what: str) -> None:
        """Fills the bar up to a share, and says what is measured."""
        filled = int(self.width * min(max(share, 0.0), 1.0))
        if self.stream is not None and filled != self.last:
            bar = "#" * filled + "." * (self.width - filled)
            self.stream.write(f"\r[{bar}] {what:<24}")
            self.stream.flush()
            self.last = filled

    def done(self) -> None:
        """Erases the bar."""
        if self.stream is not None and self.last >= 0:
            self.stream.write("\r" + " " * (self.width + 27) + "\r")
            self.stream.flush()
        self.last = -1


class Pace:
    """The time that CPython takes for a fixed loop while something else is measured: a machine may
    be half as fast in one second as in the next, where others have the other half of its cores.

    `everywhere`: the times in all that is measured, which tell what the machine is able to do.
    """

    def __init__(self, progress: Callable[[float], None], everywhere: list[float]) -> None:
        self.progress = progress
        self.everywhere = everywhere
        self.kept: list[float] = []

    def take(self) -> float:
        """Times the loop once, in seconds."""
        mix(PACE_TRIPS)  # what was measured may have left the loop's own code cold
        begun = clock()
        mix(PACE_TRIPS)
        self.everywhere.append(clock() - begun)
        return self.everywhere[-1]

    def quiet(self) -> float:
        """Gives the longest time that the loop takes while nobody disturbs the machine,
        in seconds.
        """
        best = sorted(self.everywhere)[len(self.everywhere) // BEST_OF]
        return best * UNDISTURBED

    def seconds(self) -> float:
        """Gives the median time of the loop in the rounds that count, in seconds."""
        return statistics.median(self.kept)


class Rounds:
    """The rounds of a measurement: `for _ in rounds`, each of which takes a sample of everything.
    They go on for `budget_s`, and for up to LONGER times that where the machine was disturbed in
    all but a few; `quiet` selects the samples of the undisturbed ones.
    """

    def __init__(self, budget_s: float, pace: Pace, shown: tuple[float, float] = (0, 1)) -> None:
        self.budget_s = budget_s
        self.pace = pace
        self.shown = shown
        self.paces: list[float] = []
        self.stopped = False

    def __iter__(self) -> Iterator[int]:
        begun = time.perf_counter()
        before = self.pace.take()
        while not self._over(spent := time.perf_counter() - begun):
            start, end = self.shown
            self.pace.progress(start + min(spent / self.budget_s, 1.0) * (end - start))
            yield len(self.paces)
            after = self.pace.take()
            self.paces.append(max(before, after))
            before = after
        self.pace.kept += self.quiet(self.paces)

    def stop(self) -> None:
        """Ends the measurement after this round, since all is sure."""
        self.stopped = True

    def _over(self, spent: float) -> bool:
        if len(self.paces) < LEAST_ROUNDS or not (self.stopped or spent >= self.budget_s):
            return False
        return len(self._quiet()) >= LEAST_ROUNDS or spent >= LONGER * self.budget_s

    def _quiet(self) -> list[int]:
        limit = self.pace.quiet()
        return [i for i, pace in enumerate(self.paces) if pace <= limit]

    def quiet(self, samples: list[T]) -> list[T]:
        """Gives, of one sample for each round, those of quiet rounds, or of the quietest ones if
        there are few.
        """
        rounds = self._quiet()
        if len(rounds) < LEAST_ROUNDS:
            of = min(len(self.paces), len(samples))
            rounds = sorted(range(of), key=lambda i: self.paces[i])[:LEAST_ROUNDS]
        return [samples[i] for i in rounds if i < len(samples)]


def timings(
    probes: list[Probe], budget_s: float, enough: float, summary: Callable[..., Any], pace: Pace
) -> dict[str, Timing]:
    """Times a call of each probe, all in turn, round after round, until the standard error of
    nearly every median is below `enough` of it or `budget_s` is spent. All are measured equally
    often: a machine is now faster, now slower, and what is compared has to share that.
    """
    calls = {p.name: _calls(p) for p in probes}
    samples: dict[str, list[float]] = {p.name: [] for p in probes}
    rounds = Rounds(budget_s, pace)
    collecting = gc.isenabled()
    gc.disable()
    try:
        for round_ in rounds:
            for probe in probes:
                samples[probe.name].append(_sample(probe, calls[probe.name]))
            if (round_ + 1) % ROUNDS_A_LOOK == 0:
                errors = sorted(t.error for t in summed(samples, rounds, summary).values())
                if errors[int(len(errors) * NEARLY)] <= enough:
                    rounds.stop()
    finally:
        if collecting:
            gc.enable()
    return summed(samples, rounds, summary)


def summed(
    samples: dict[str, list[float]], rounds: Rounds, summary: Callable[..., Any]
) -> dict[str, Timing]:
    """Gives the timings of the samples of quiet rounds, by probe."""
    found = {}
    for name, all_ in samples.items():
        one = summary(rounds.quiet(all_))
        found[name] = Timing(one.median, one.error / one.median, one.kept)
    return found


def _calls(probe: Probe) -> int:
    """Finds the number of calls in a sample; its first calls also warm up the function."""
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
