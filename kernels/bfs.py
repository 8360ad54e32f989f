"""Breadth-first search, level by level, over a graph in compressed rows, from several roots."""

import argparse
import time

import numpy as np

SIZES = {"small": 6_900, "medium": 190_000, "large": 1_900_000}


def search(first, neighbours, root, level, queue):
    for v in range(len(level)):
        level[v] = -1
    level[root] = 0
    queue[0] = root
    begin, end = 0, 1
    depth = 0
    while begin < end:
        depth += 1
        tail = end
        for q in range(begin, end):
            u = queue[q]
            for e in range(first[u], first[u + 1]):
                v = neighbours[e]
                if level[v] >= 0:
                    continue
                level[v] = depth
                queue[tail] = v
                tail += 1
        begin, end = end, tail
    return end


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(1945)
    degree = rng.integers(1, 9, n)
    first = np.zeros(n + 1, dtype=np.int64)
    first[1:] = np.cumsum(degree)
    owner = np.repeat(np.arange(n), degree)
    reach = n // 50 + 2
    neighbours = ((owner + rng.integers(-reach, reach + 1, len(owner))) % n).astype(np.int32)
    level = np.zeros(n, dtype=np.int32)
    queue = np.zeros(n, dtype=np.int32)
    weights = np.arange(n, dtype=np.int64) % 1021 + 1

    checksum = 0
    seconds = 0.0
    for root in (0, n // 3, n // 2, n - 1):
        start = time.perf_counter()
        found = search(first, neighbours, root, level, queue)
        seconds += time.perf_counter() - start
        checksum = checksum * 3 + int(level @ weights) + 17 * found

    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
