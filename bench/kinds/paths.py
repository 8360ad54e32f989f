"""All-pairs shortest paths on lists of lists."""

import argparse
import random
import time


def shortest(dist):
    n = len(dist)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = dist[i][k] + dist[k][j]
                if through < dist[i][j]:
                    dist[i][j] = through


parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=60)
n = parser.parse_args().size

random.seed(7)
table = [[random.randrange(1, 1000) for _ in range(n)] for _ in range(n)]
begun = time.perf_counter()
shortest(table)
seconds = time.perf_counter() - begun
print("checksum", sum(map(sum, table)))
print("kernel_seconds", seconds)
