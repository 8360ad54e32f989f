"""A program that tells how fast the machine is at the moment: the time that CPython takes for a
loop.

The program runs between the turns of the other programs. The profile says how long a trip took when
the profile was measured.
"""

import time

TRIPS = 4000


def mix(n: int) -> int:
    """The fixed loop that tells the pace."""
    state = 1
    for i in range(n):
        state = (state * 75 + i) % 65537
    return state


def main() -> None:
    """Prints the time of the fixed loop, as a program of the oracle's does."""
    start = time.perf_counter()
    found = mix(TRIPS)
    seconds = time.perf_counter() - start
    print("checksum", found)
    print("kernel_seconds", seconds)
