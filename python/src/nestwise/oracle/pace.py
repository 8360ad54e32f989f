"""What tells how fast the machine is at the moment: what CPython takes for a loop.

It runs between the turns of the programs. How long it should take the profile says.
"""

import time


def mix(n: int) -> int:
    state = 1
    for i in range(n):
        state = (state * 75 + i) % 65537
    return state


def main() -> None:
    start = time.perf_counter()
    found = mix(4000)
    seconds = time.perf_counter() - start
    print("checksum", found)
    print("kernel_seconds", seconds)
