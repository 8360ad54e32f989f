"""Measures the time to touch memory for the first time: loops that fill it, once in new memory and
once more in the same.
"""

from __future__ import annotations

import collections
import contextlib
import mmap
import statistics
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import nestwise._core as core
from nestwise.calibrate import sections
from nestwise.calibrate.measure import Pace, Rounds
from nestwise.calibrate.sections import Section
from nestwise.native import extension

if TYPE_CHECKING:
    from nestwise._core import Summary

# Bytes that the weights count in (`Fresh::PAGE`).
PAGE = 4096


class _Memory(NamedTuple):
    """An array's memory."""

    kind: str  # the name of the weight
    size: int  # bytes
    held: bool  # nothing is fitted to it


MEMORY = (
    _Memory("small", 1 << 20, False),
    _Memory("large", 8 << 20, False),
    _Memory("small", 3 << 19, True),
    _Memory("large", 6 << 20, True),
)
# Nothing gains less; what gains more is noise.
LEAST, MOST = 0.02, 1.0
LEAST_S = 1e-9
# Memory that was given back last is what the system gives out next, and caches still hold it: it is
# kept until so many others have been touched.
KEPT = 8


def pages(budget_s: float, pace: Pace) -> tuple[Section | None, float | None]:
    """Gives the weights of pages, or None where the system gives no such memory; and the share of a
    core that further threads add, or None where there is one core or the loop did not run on
    several.
    """
    extension.require()
    function = sections.handled("touched")["fills"]
    several = core.cores()
    samples: dict[tuple[_Memory, int], list[float]] = {}
    kept: collections.deque[mmap.mmap] = collections.deque(maxlen=KEPT)
    rounds = Rounds(budget_s, pace)
    try:
        for _ in rounds:
            for threads in (1, several) if several > 1 else (1,):
                device = "serial" if threads == 1 else "threads"
                sections.configure(device, prices=False, threads=threads)
                for memory in MEMORY:
                    taken, mapped = _each_page(function, memory)
                    kept.append(mapped)
                    samples.setdefault((memory, threads), []).append(taken)
    except (OSError, ValueError):
        return None, None
    samples = {key: rounds.quiet(taken) for key, taken in samples.items()}
    return _section(samples), _share(samples, several) if sections.threaded(function) else None


def _each_page(function: Callable[..., Any], memory: _Memory) -> tuple[float, mmap.mmap]:
    """Gives the seconds by which a page that was never touched takes longer, and the memory."""
    import numpy as np

    mapped = mmap.mmap(-1, memory.size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if memory.kind == "large" and hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # the system has small ones only
            mapped.madvise(mmap.MADV_HUGEPAGE)  # as NumPy does
    array = np.frombuffer(mapped)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        function(array)
        times.append(time.perf_counter() - start)
    more = max(times[0] - min(times[1:]), LEAST_S)
    return more / (memory.size / PAGE), mapped


def _section(samples: dict[tuple[_Memory, int], list[float]]) -> Section:
    of: Callable[[bool], dict[_Memory, Summary]] = lambda held: {  # noqa: E731
        memory: core.summary(taken)
        for (memory, threads), taken in samples.items()
        if threads == 1 and memory.held == held
    }
    fitted = {memory.kind: each for memory, each in of(False).items()}
    weights = {kind: one.median * 1e9 for kind, one in fitted.items()}
    points = [
        (
            f"{memory.kind}, {memory.size >> 10} KiB",
            one.median * memory.size / PAGE,
            weights[memory.kind] * 1e-9 / one.median - 1.0,
        )
        for memory, one in of(True).items()
    ]
    off = sorted(abs(error) for _, _, error in points)
    unsure = max(one.error / one.median for one in fitted.values())
    return Section(weights, statistics.median(off), off[-1], points, len(fitted), unsure)


def _share(samples: dict[tuple[_Memory, int], list[float]], several: int) -> float | None:
    """Gives the median share of a core that each further thread added, over all rounds."""
    shares = [
        (alone / together - 1.0) / (several - 1)
        for (memory, threads), taken in samples.items()
        if threads == 1
        for alone, together in zip(taken, samples.get((memory, several), ()), strict=False)
    ]
    return min(max(statistics.median(shares), LEAST), MOST) if several > 1 and shares else None
