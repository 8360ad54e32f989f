"""Lloyd's k-means on points in space: assign to the nearest centre, move the centres, repeat."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 740, "medium": 20_000, "large": 200_000}
CLUSTERS = 12
ROUNDS = 4


def assign(points, centres, labels):
    inertia = 0.0
    for i in range(points.shape[0]):
        best = math.inf
        choice = -1
        for k in range(centres.shape[0]):
            d2 = 0.0
            for axis in range(points.shape[1]):
                gap = points[i, axis] - centres[k, axis]
                d2 += gap * gap
            if d2 < best:
                best = d2
                choice = k
        labels[i] = choice
        inertia += best
    return inertia


def recentre(points, centres, labels, members):
    for k in range(len(centres)):
        members[k] = 0
        for axis in range(centres.shape[1]):
            centres[k, axis] = 0.0
    for i, k in enumerate(labels):
        members[k] += 1
        for axis in range(points.shape[1]):
            centres[k, axis] += points[i, axis]
    for k in range(len(centres)):
        if members[k] > 0:
            for axis in range(centres.shape[1]):
                centres[k, axis] /= members[k]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(1957)
    points = rng.normal(0.0, 0.4, (n, 3)) + rng.integers(0, 4, (n, 1))
    centres = points[:CLUSTERS].copy()
    labels = np.zeros(n, dtype=np.int32)
    members = np.zeros(CLUSTERS, dtype=np.int64)

    start = time.perf_counter()
    for _ in range(ROUNDS):
        inertia = assign(points, centres, labels)
        recentre(points, centres, labels, members)
    seconds = time.perf_counter() - start

    flat = centres.ravel().tolist()
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3]) + float(inertia)
    checksum += sum((i % 53 + 1) * k for i, k in enumerate(labels.tolist()))
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
