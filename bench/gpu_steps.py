"""What a step of a time loop takes on a card.

    NESTWISE_COOPERATIVE=0 nestwise run --device gpu bench/gpu_steps.py [STEPS]
    NESTWISE_COOPERATIVE=1 nestwise run --device gpu bench/gpu_steps.py [STEPS]

Prints a line of JSON for each loop and size: the best of a few calls in microseconds a step, the
arrays' transfers among them, and a checksum. With 0 each step hands over kernels of its own and
waits where numbers come back; with 1 one kernel runs all steps, and its threads wait for each
other.
"""

from __future__ import annotations

import json
import sys
import time
import zlib
from collections.abc import Callable

import numpy as np

SIZES = (256, 4096, 65_536, 1 << 20)
CALLS = 3


def smoothed(u, v, steps):
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1]
        u, v = v, u
    return u


def relaxed(u, v, steps):
    """As many steps as that, unless nothing changes any more."""
    for _ in range(steps):
        most = 0.0
        for i in range(1, len(u) - 1):
            x = 0.5 * (u[i - 1] + u[i + 1])
            most = max(most, abs(x - u[i]))
            v[i] = x
        u, v = v, u
        if most == 0.0:
            break
    return u


def carried(u, v, steps):
    """What one element tells the next step."""
    for t in range(steps):
        shift = u[t % len(u)] * 0.001
        for i in range(len(u)):
            v[i] = u[i] * 0.999 + shift
        u, v = v, u
    return u


def timed(loop: Callable, size: int, steps: int) -> dict[str, object]:
    rng = np.random.default_rng(size)
    start, times, checksum = rng.random(size), [], 0
    for _ in range(CALLS):
        u, v = start.copy(), np.zeros(size)
        begun = time.perf_counter()
        last = loop(u, v, steps)
        times.append(time.perf_counter() - begun)
        checksum = zlib.crc32(last)
    return {
        "name": f"{loop.__name__}, {size}",
        "microseconds": round(1e6 * min(times) / steps, 3),
        "checksum": checksum,
    }


def main() -> int:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for loop in (smoothed, relaxed, carried):
        for size in SIZES:
            print(json.dumps(timed(loop, size, steps)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
