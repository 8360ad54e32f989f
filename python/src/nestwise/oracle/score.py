"""Computes what experiments amount to: slowdown against the oracle, prediction errors, other
strategies.

The best candidate of an experiment is picked on one half of the samples and all are scored on the
other half, so that luck in picking does not count for the oracle. Slowdowns are medians of ratios
of times that were taken right after each other: a shared machine is faster one second and slower
the next, and such a ratio is of one moment. The noise that is left is told as well: the chosen
way's slowdown against itself, between turns that followed each other.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from nestwise.oracle.measure import CHOSEN, LEARNED, PROCESSES, Experiment
from nestwise.oracle.programs import GENERATED


class Scored(NamedTuple):
    """One experiment, scored; times are in seconds."""

    program: str
    size: int
    best: str
    best_s: float
    chosen_s: float
    times: dict[str, float]
    predicted: dict[str, float]
    slowdowns: dict[str, float]  # by candidate, those of OURS among them
    noise: float = 0.0  # the chosen way's slowdown against itself
    group: str = ""
    pace: float = 1.0
    rough: Sequence[str] = ()

    @property
    def slowdown(self) -> float:
        """The slowdown of the chosen way against the best: the share of time lost."""
        return self.slowdowns[CHOSEN]

    @property
    def learned(self) -> float | None:
        """The slowdown with learning, if that was measured."""
        return self.slowdowns.get(LEARNED)


class Summary(NamedTuple):
    """A summary of the slowdowns of experiments."""

    experiments: int
    mean: float
    p95: float
    worst: float


def score(experiment: Experiment) -> Scored:
    """Scores an experiment: half of the samples pick the best way, the other half time it."""
    candidates = [w for w in experiment.samples if w not in (CHOSEN, LEARNED)]
    picked = {w: statistics.median(_half(experiment.samples[w], 0)) for w in candidates}
    times = {w: statistics.median(_half(s, 1)) for w, s in experiment.samples.items()}
    best = min(picked, key=picked.__getitem__)
    scoring = {w: _half(s, 1) for w, s in experiment.samples.items()}
    chosen = experiment.samples[CHOSEN]
    times.pop(LEARNED, None)
    return Scored(
        experiment.program,
        experiment.size,
        best,
        times[best],
        times.pop(CHOSEN),
        slowdowns={w: _slowdown(s, scoring[best]) for w, s in scoring.items()},
        noise=_slowdown(_half(chosen, 0), _half(chosen, 1)),
        times=times,
        pace=experiment.pace,
        rough=experiment.rough,
        predicted=experiment.predicted,
        group=experiment.group,
    )


def _half(samples: list[float], which: int) -> list[float]:
    """Gives every other turn of each process; processes take turns."""
    half = [s for k, s in enumerate(samples) if k // PROCESSES % 2 == which]
    return half or samples


def _slowdown(samples: list[float], others: list[float]) -> float:
    """Gives the median slowdown over turns, which are in the same order in both lists; one list may
    be longer.
    """
    return statistics.median(s / o for s, o in zip(samples, others, strict=False)) - 1.0


def groups(scored: Sequence[Scored]) -> dict[str, list[Scored]]:
    """Groups experiments by the name of their group; "" has all programs that somebody wrote,
    including those held back.
    """
    found: dict[str, list[Scored]] = {"": [one for one in scored if one.group != GENERATED]}
    for one in scored:
        if one.group:
            found.setdefault(one.group, []).append(one)
    return {name: group for name, group in found.items() if group}


def summary(slowdowns: Sequence[float]) -> Summary:
    """Summarises slowdowns."""
    values = sorted(slowdowns)
    return Summary(len(values), statistics.fmean(values), percentile(values, 0.95), values[-1])


def percentile(values: Sequence[float], part: float) -> float:
    """Gives a percentile by linear interpolation between the closest ranks; `values` must be
    sorted.
    """
    at = part * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


def ours(scored: Sequence[Scored]) -> dict[str, Summary]:
    """Summarises the slowdowns of automatic runs: by prices alone, and with learning, where that
    was measured.
    """
    found = {"chosen": summary([one.slowdown for one in scored])}
    learned = [one.learned for one in scored if one.learned is not None]
    if learned:
        found["chosen, learning"] = summary(learned)
    found["chosen, against itself"] = summary([one.noise for one in scored])
    return found


class Cold(NamedTuple):
    """Cold calls, compilation included, of one program at one size."""

    program: str
    size: int
    chosen_s: float  # with learning, as users run it
    best: str  # what would have been best
    best_s: float

    @property
    def ratio(self) -> float:
        """The ratio of the chosen way's time to the best one's."""
        return self.chosen_s / self.best_s


def cold(done: Iterable[Experiment]) -> list[Cold]:
    """Gives the cold calls of the experiments that have some."""
    found = []
    for one in done:
        times = {way: statistics.median(seconds) for way, seconds in one.cold.items()}
        chosen = times.pop(CHOSEN, None)
        chosen = times.pop(LEARNED, chosen)
        if chosen is not None:
            best = min(times, key=lambda way: times[way])
            found.append(Cold(one.program, one.size, chosen, best, times[best]))
    return found


def strategies(scored: Sequence[Scored]) -> dict[str, Summary]:
    """Summarises what always taking the same candidate would have cost, and a random one, where
    measured.
    """
    plain = [{w: t for w, t in one.times.items() if "schedule" not in w} for one in scored]
    names = dict.fromkeys(name for times in plain for name in times)
    found = {}
    for name in names:
        having = [one for one in scored if name in one.times]
        found[f"always {name}"] = summary([o.slowdowns[name] for o in having])
    each = zip(plain, scored, strict=True)
    means = [statistics.fmean(one.slowdowns[name] for name in times) for times, one in each]
    found["random"] = summary(means)
    return found


def against_oracle(scored: Sequence[Scored], group: str) -> dict[str, Summary]:
    """Gives the rows of a report: automatic runs, and for all programs together other strategies as
    well.
    """
    return {**ours(scored), **({} if group else strategies(scored))}


def prediction_errors(scored: Iterable[Scored]) -> dict[str, tuple[int, float, float]]:
    """Gives by device, and for all together, count, median and 90th percentile of |predicted /
    measured - 1|; also with predictions scaled as CPython's time for a loop that was run in between
    differed from the profile's.
    """
    errors: dict[str, list[float]] = {}
    for one in scored:
        for device, predicted in one.predicted.items():
            way = measured_as(device, one)
            measured = one.times.get(way)
            if not measured or way in one.rough:
                continue
            for row in (device, "all"):
                errors.setdefault(row, []).append(abs(predicted / measured - 1.0))
                paced = errors.setdefault(f"{row}, at the pace", [])
                paced.append(abs(predicted * one.pace / measured - 1.0))
    return {
        device: (len(e), statistics.median(e), percentile(sorted(e), 0.9))
        for device, e in errors.items()
    }


def making_errors(done: Iterable[Experiment]) -> dict[str, tuple[int, float, float]]:
    """Gives by tier count, median and 90th percentile of |predicted / took - 1| of code that was
    made.
    """
    errors: dict[str, list[float]] = {}
    for one in done:
        for tier, predicted, took in one.made:
            errors.setdefault(f"making {tier} code", []).append(abs(predicted / took - 1.0))
    return {
        row: (len(e), statistics.median(e), percentile(sorted(e), 0.9)) for row, e in errors.items()
    }


def measured_as(device: str, one: Scored) -> str:
    """Gives the candidate that a device's prediction is about: for threads, the one
    with the most.
    """
    if device != "threads":
        return device
    several = [n for n in one.times if n.startswith("threads") and "schedule" not in n]
    return max(several, key=lambda name: int(name.split()[1]), default=device)


def intervals(scored: Sequence[Scored]) -> dict[str, tuple[int, int]]:
    """Gives by program the smallest and the largest size where the choice was over 5 % slower than
    the best.
    """
    found: dict[str, tuple[int, int]] = {}
    for one in scored:
        if one.slowdown > 0.05:
            low, high = found.get(one.program, (one.size, one.size))
            found[one.program] = (min(low, one.size), max(high, one.size))
    return found


def wrong(one: Scored) -> str:
    """Names the device, of those that were confused, whose prediction is farther off, and by how
    much; empty where predictions say what measurements do, so that something else was wrong.
    """
    factors = {}
    for device, predicted in one.predicted.items():
        measured = one.times.get(measured_as(device, one))
        if measured and predicted > 0:
            factors[device] = predicted / measured
    if not factors:
        return ""
    cheapest = min(one.predicted, key=one.predicted.__getitem__)
    best = one.best.split()[0]
    confused = [d for d in dict.fromkeys((cheapest, best)) if d in factors]
    if cheapest == best or not confused:
        return ""
    worst = max(confused, key=lambda d: abs(math.log(factors[d])))
    return f"{worst} predicted {factors[worst]:.2f} times"
