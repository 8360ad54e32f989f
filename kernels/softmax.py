"""Row-wise softmax with the maximum taken out first, in scalar NumPy calls."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 280, "medium": 1_900, "large": 6_000}


def softmax(scores, out):
    for i, row in enumerate(scores):
        top = row[0]
        for value in row:
            if value > top:
                top = value
        total = 0.0
        for j in range(len(row)):
            e = np.exp(row[j] - top)
            out[i, j] = e
            total += e
        for j in range(len(row)):
            out[i, j] /= total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    scores = np.random.default_rng(12).normal(0.0, 3.0, (n, n))
    out = np.zeros_like(scores)

    start = time.perf_counter()
    softmax(scores, out)
    seconds = time.perf_counter() - start

    flat = out.ravel().tolist()
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
