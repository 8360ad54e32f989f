"""Pi by darts: the random module's numbers."""

import argparse
import random
import time


def inside(count):
    hits = 0
    for _ in range(count):
        x = random.random()
        y = random.random()
        if x * x + y * y <= 1.0:
            hits += 1
    return hits


parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=10000)
n = parser.parse_args().size

random.seed(13)
begun = time.perf_counter()
hits = inside(n)
seconds = time.perf_counter() - begun
print("checksum", hits, random.random())
print("kernel_seconds", seconds)
