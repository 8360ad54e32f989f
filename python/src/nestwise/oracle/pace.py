"""What tells how fast the machine is at the moment: what CPython takes for a loop.

It runs between the turns of the programs. How long a trip took when the profile was measured that
says.
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
    """Prints what the fixed loop took, as a program of the oracle's does."""
    start = time.perf_counter()
    found = mix(TRIPS)
    seconds = time.perf_counter() - start
    print("checksum", found)
    print("kernel_seconds", seconds)
