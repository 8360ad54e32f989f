"""All-pairs shortest paths with integer distances, Floyd and Warshall's three loops."""

import argparse
import time

import numpy as np

SIZES = {"small": 64, "medium": 235, "large": 510}
FAR = 1_000_000_000


def shortest_paths(dist):
    n = len(dist)
    for k in range(n):
        via = dist[k]
        for i in range(n):
            row = dist[i]
            to_k = row[k]
            for j in range(n):
                through = to_k + via[j]
                if through < row[j]:
                    row[j] = through


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(1959)
    dist = rng.integers(1, 1000, (n, n))
    dist[rng.random((n, n)) < 0.9] = FAR
    dist[np.arange(n), np.arange(n)] = 0
    dist[np.arange(n), (np.arange(n) + 1) % n] = 500
    if options.form == "list":
        dist = dist.tolist()

    start = time.perf_counter()
    shortest_paths(dist)
    seconds = time.perf_counter() - start

    checksum = sum((i % 97 + 1) * int(d) for i, row in enumerate(dist) for d in row)
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
