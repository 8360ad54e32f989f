"""Measures what threads cost and gain: the same kernels on one, two, four ... and all cores in
turn.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from nestwise.calibrate import data, sections
from nestwise.calibrate.files import BOUNDS
from nestwise.calibrate.measure import Pace, Probe, Rounds
from nestwise.calibrate.sections import Section
from nestwise.native import extension

# Elements of a loop that is started often, as many as it hardly pays for, its starts in a call, and
# elements of the long ones: such as fit caches, and such as do not.
SHORT, STARTS, LONG, LARGE = 8192, 200, 100_000, 2_000_000
# Nothing gains less; what gains more is noise.
LEAST, MOST = 0.02, 1.0


def counts(cores: int) -> list[int]:
    """Gives the numbers of threads to measure: powers of two, and all cores."""
    return sorted({2**k for k in range(1, 16) if 2**k <= cores} | ({cores} if cores > 1 else set()))


def values() -> dict[str, Any]:
    """Gives the arguments of the loops on threads, by the names of their parameters."""
    import numpy as np

    random = np.random.default_rng(9)
    return {
        "a": random.random(LONG),
        "b": random.random(LONG),
        "o": np.zeros(LONG),
        "idx": random.integers(0, LONG, LONG),
        "kdx": np.zeros(LONG, np.int64),
        "a2": random.random(LARGE),
        "b2": random.random(LARGE),
        "o2": np.zeros(LARGE),
        "idx2": random.integers(0, LARGE, LARGE),
        "x": 0.5,
        "r": STARTS,
    }


def threads(budget_s: float, pace: Pace) -> Section | None:
    """Measures the weights of threads; None where there is but one core, or nothing runs on
    several.
    """
    extension.require()
    import nestwise._core as core

    several = counts(core.cores())
    if not several:
        return None
    probes = _probes(several[-1])
    if not all(
        any(p.name.startswith(kind) for p in probes) for kind in ("starts", "held_", *BOUNDS)
    ):
        return None  # nothing runs on threads here: the default says as much as can be said
    samples = _samples(probes, several, budget_s, pace)
    times = {key: statistics.median(taken) for key, taken in samples.items()}
    # What is more than a part of the time alone: to call, to wait, to have what the others wrote.
    starts = {n: (times["starts", n] - times["starts", 1] / n) / STARTS for n in several}
    rows = [{"fork_join": 1.0, "thread": n - 1.0} for n in several]
    weights = core.fit("threads", rows, [max(starts[n], 1e-8) for n in several]).weights
    names = dict.fromkeys(name for name, _ in times)
    for bound in BOUNDS:
        # Round by round: the machine may be slower in one than in the next.
        shares = [
            _share(alone, together - starts[n], n)
            for name in names
            if name.startswith(bound)
            for n in several
            for alone, together in zip(samples[name, 1], samples[name, n], strict=True)
        ]
        weights[bound] = min(max(statistics.median(shares), LEAST), MOST)
    points = [
        (
            f"{name} {n}",
            times[name, n],
            _predicted(weights, name, times[name, 1], n) / times[name, n] - 1,
        )
        for name in names
        if name.startswith("held_")
        for n in several
    ]
    off = sorted(abs(error) for _, _, error in points)
    p90 = off[min(int(0.9 * len(off)), len(off) - 1)]
    return Section(weights, statistics.median(off), p90, points, len(names), 0.0)


def _share(alone: float, together: float, n: int) -> float:
    """Gives the share of a core that each further thread added, without the time to
    start threads.
    """
    return (alone / max(together, alone / n) - 1.0) / (n - 1)


def _predicted(weights: dict[str, float], name: str, alone: float, n: int) -> float:
    bound = next(b for b in BOUNDS if b in name)
    start = (weights["fork_join"] + weights["thread"] * (n - 1)) * 1e-9
    return start + alone / (1.0 + weights[bound] * (n - 1))


def _probes(most: int) -> list[Probe]:
    """Gives the probes that really run on threads, compiled for them."""
    _on(most, prices=True)
    given = values()
    short = given | {"a": given["a"][:SHORT].copy(), "o": given["o"][:SHORT].copy()}
    found = []
    for name, function in sections.handled("parallel").items():
        arguments = data.arguments(function, short if name == "starts" else given)
        for _ in range(2):  # the first call may compile in the middle of it
            _, nest = sections.counted(function, arguments, "launch_work")
        if nest and nest.threaded_launches and not nest.fallbacks:
            found.append(Probe(name, function, arguments))
    return found


def _on(n: int, prices: bool) -> None:
    sections.configure("threads", prices, threads=n)


def _samples(
    probes: list[Probe], several: list[int], budget_s: float, pace: Pace
) -> dict[tuple[str, int], list[float]]:
    """Times calls in seconds, by probe and number of threads, all in turn, once in each round."""
    samples: dict[tuple[str, int], list[float]] = {}
    rounds = Rounds(budget_s, pace)
    for _ in rounds:
        for n in (1, *several):
            _on(n, prices=False)
            for probe in probes:
                # One call for helpers to wake up and caches to fill, and the other to be timed at
                # once: they soon sleep again.
                probe.function(*probe.arguments)
                start = time.perf_counter()
                probe.function(*probe.arguments)
                samples.setdefault((probe.name, n), []).append(time.perf_counter() - start)
    return {key: rounds.quiet(taken) for key, taken in samples.items()}
