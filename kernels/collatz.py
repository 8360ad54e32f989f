"""Length and summit of every Collatz sequence up to a limit."""

import argparse
import time

import numpy as np

SIZES = {"small": 9_100, "medium": 300_000, "large": 3_000_000}


def explore(lengths, summits):
    for start in range(1, len(lengths)):
        x = start
        top = x
        steps = 0
        while x != 1:
            if x % 2 == 0:
                x //= 2
            else:
                x = 3 * x + 1
                if x > top:
                    top = x
            steps += 1
        lengths[start] = steps
        summits[start] = top


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    if options.form == "list":
        lengths, summits = [0] * n, [0] * n
    else:
        lengths, summits = np.zeros(n, dtype=np.int16), np.zeros(n, dtype=np.int64)

    start = time.perf_counter()
    explore(lengths, summits)
    seconds = time.perf_counter() - start

    if options.form == "ndarray":
        lengths, summits = lengths.tolist(), summits.tolist()
    checksum = sum(lengths) + 5 * sum(lengths[1::3]) + sum(summits) + sum(summits[2::5])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
