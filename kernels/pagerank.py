"""PageRank by power iteration: every page gathers from the pages that link to it."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 510, "medium": 13_000, "large": 130_000}
DAMPING = 0.85


def rank(first, origin, out_degree, score, fresh, tolerance, max_rounds):
    pages = len(score)
    for rounds in range(max_rounds):
        dangling = 0.0
        for p in range(pages):
            if out_degree[p] == 0:
                dangling += score[p]
        base = (1.0 - DAMPING + DAMPING * dangling) / pages
        delta = 0.0
        for p in range(pages):
            gathered = 0.0
            for e in range(first[p], first[p + 1]):
                q = origin[e]
                gathered += score[q] / out_degree[q]
            fresh[p] = base + DAMPING * gathered
            delta += abs(fresh[p] - score[p])
        score, fresh = fresh, score
        if delta < tolerance:
            break
    return score, rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(1998)
    links = 10 * n
    destination = np.sort((n * rng.random(links) ** 2).astype(np.int64))
    origin = rng.integers(0, n - n // 20, links)
    first = np.searchsorted(destination, np.arange(n + 1))
    out_degree = np.bincount(origin, minlength=n)
    score = np.full(n, 1.0 / n)
    fresh = np.zeros(n)
    if options.form == "list":
        first, origin, out_degree = first.tolist(), origin.tolist(), out_degree.tolist()
        score, fresh = score.tolist(), fresh.tolist()

    start = time.perf_counter()
    score, rounds = rank(first, origin, out_degree, score, fresh, 1e-10, 60)
    seconds = time.perf_counter() - start

    flat = [float(s) for s in score]
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3]) + rounds
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
