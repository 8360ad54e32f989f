"""The edit distance of two words, row by row."""

import argparse
import random
import time


def distance(s, t):
    previous = list(range(len(t) + 1))
    for i, a in enumerate(s, 1):
        current = [i]
        for j, b in enumerate(t, 1):
            cost = 0 if a == b else 1
            current.append(min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost))
        previous = current
    return previous[-1]


parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=60)
n = parser.parse_args().size

random.seed(11)
s = "".join(random.choice("acgt") for _ in range(n))
t = "".join(random.choice("acgt") for _ in range(n))
begun = time.perf_counter()
found = distance(s, t)
seconds = time.perf_counter() - begun
print("checksum", found)
print("kernel_seconds", seconds)
