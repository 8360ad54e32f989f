"""Bellman-Ford shortest paths over arrays of edges, stopping when a round changes nothing."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 900, "medium": 32_000, "large": 180_000}


def relax_all(source, target, weight, dist):
    rounds = 0
    for rounds in range(1, len(dist)):
        changed = False
        for u, v, w in zip(source, target, weight):
            candidate = dist[u] + w
            if candidate < dist[v]:
                dist[v] = candidate
                changed = True
        if not changed:
            break
    else:
        for e in range(len(source)):
            if dist[source[e]] + weight[e] < dist[target[e]]:
                return -rounds
    return rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    # a grid-like graph of short edges, so that many rounds are needed
    rng = np.random.default_rng(58)
    m = 8 * n
    source = rng.integers(0, n, m).astype(np.int32)
    target = ((source + rng.integers(-n // 40, n // 40 + 2, m)) % n).astype(np.int32)
    weight = rng.uniform(1.0, 10.0, m)
    dist = np.full(n, np.inf)
    dist[0] = 0.0
    if options.form == "list":
        source, target, weight = source.tolist(), target.tolist(), weight.tolist()
        dist = dist.tolist()

    start = time.perf_counter()
    rounds = relax_all(source, target, weight, dist)
    seconds = time.perf_counter() - start

    reached = [float(d) if d < math.inf else -1.0 for d in dist]
    checksum = math.fsum(reached) + math.fsum(reached[1::2]) + math.fsum(reached[2::3]) + rounds
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
