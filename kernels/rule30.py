"""Elementary cellular automaton, rule 30, on rows of booleans, written at module level."""

import argparse
import time

import numpy as np

SIZES = {"small": 300, "medium": 2_200, "large": 7_000}

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--size", default="small", help="small, medium, large or a number")
parser.add_argument("--form", default="ndarray", choices=["ndarray"])
options = parser.parse_args()
width = SIZES[options.size] if options.size in SIZES else int(options.size)

generations = width // 2
history = np.zeros((generations, width), dtype=bool)
history[0, width // 2] = True

start = time.perf_counter()
for t in range(generations - 1):
    now = history[t]
    following = history[t + 1]
    for x in range(1, width - 1):
        following[x] = now[x - 1] != (now[x] or now[x + 1])
seconds = time.perf_counter() - start

column_weight = np.arange(width) % 251 + 1
row_weight = np.arange(generations) % 241 + 1
checksum = int((history @ column_weight * row_weight).sum())
print("checksum", repr(checksum))
print("kernel_seconds", seconds)
