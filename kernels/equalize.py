"""Histogram equalisation of an 8-bit image: count, accumulate, build a table, map every pixel."""

import argparse
import time

import numpy as np

SIZES = {"small": 280, "medium": 2_000, "large": 6_300}


def equalize(image, out):
    counts = np.zeros(256, dtype=np.int64)
    for row in image:
        for level in row:
            counts[level] += 1

    cumulative = np.zeros(256, dtype=np.int64)
    running = 0
    for level in range(256):
        running += counts[level]
        cumulative[level] = running

    first = 0
    while counts[first] == 0:
        first += 1
    lowest = cumulative[first]
    span = max(1, cumulative[-1] - lowest)
    table = np.zeros(256, dtype=np.uint8)
    for level in range(first, 256):
        table[level] = (cumulative[level] - lowest) * 255 // span

    height, width = image.shape
    for y in range(height):
        source = image[y]
        target = out[y]
        for x in range(width):
            target[x] = table[source[x]]
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(90)
    image = (60 + rng.integers(0, 80, (n, n), dtype=np.uint8) // (1 + np.arange(n) % 3)).astype(
        np.uint8
    )
    out = np.zeros_like(image)

    start = time.perf_counter()
    counts = equalize(image, out)
    seconds = time.perf_counter() - start

    weights = np.arange(n, dtype=np.int64) % 127 + 1
    row_sums = np.array([int(row @ weights) for row in out])
    checksum = int(row_sums @ weights) + int(counts @ np.arange(256))
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
