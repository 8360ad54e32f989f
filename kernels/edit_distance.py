"""Levenshtein distance of a text to several misspelt copies, two rows that change places."""

import argparse
import time

import numpy as np

SIZES = {"small": 160, "medium": 900, "large": 2_800}


def distance(a, b, previous, current):
    for j in range(len(b) + 1):
        previous[j] = j
    for i in range(1, len(a) + 1):
        current[0] = i
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            current[j] = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost)
        previous, current = current, previous
    return previous[len(b)]


def misspell(text, rng):
    letters = list(text)
    for _ in range(len(letters) // 8):
        where = int(rng.integers(0, len(letters)))
        if rng.random() < 0.5:
            letters[where] = "x"
        else:
            del letters[where]
    return "".join(letters)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(1965)
    text = "".join(chr(97 + int(letter)) for letter in rng.integers(0, 20, n))
    copies = [misspell(text, rng) for _ in range(3)]
    distances = []

    seconds = 0.0
    for copy in copies:
        if options.form == "list":
            previous, current = [0] * (n + 1), [0] * (n + 1)
        else:
            previous = np.zeros(n + 1, dtype=np.int64)
            current = np.zeros(n + 1, dtype=np.int64)
        start = time.perf_counter()
        edits = distance(text, copy, previous, current)
        seconds += time.perf_counter() - start
        distances.append(int(edits) + sum((j % 31 + 1) * int(d) for j, d in enumerate(current)))

    checksum = sum((k + 1) * d for k, d in enumerate(distances))
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
