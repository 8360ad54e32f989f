"""Small loops that stay in CPython: what a call costs under nestwise beside python.

    python bench/refused.py [--rounds 5]

Loops over attributes, slices, calls and recursion, loops of arrays of ten types in turn, and loops
whose guards fail at once, each in a function that is called many times. Python and nestwise run in
turn, as whole processes; the median of each. A row's last column is what a call costs more.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

PROGRAM = """
import json
import sys
import time

import numpy as np


class Node:
    def __init__(self, depth):
        self.value = depth
        self.children = [Node(depth - 1) for _ in range(2)] if depth else []

    def names(self):
        n = 0
        for child in self.children:
            n += len(child.children)
        return n

    def walk(self):
        total = self.value
        for child in self.children:
            total += child.walk()
        return total


def attribute(node):
    total = 0
    for child in node.children:
        total += child.value
    return total


def sliced(values, n):
    total = 0
    for value in values[1:n]:
        total += hash(value)
    return total


def split(text):
    n = 0
    for word in text.split(","):
        n += len(word)
    return n


def items(table):
    total = 0
    for _, value in table.items():
        total += value
    return total


def recursive(n):
    total = 1
    if n > 1:
        for k in range(2):
            total += recursive(n - 1 - k)
    return total


def summed(values):
    s = 0
    for i in range(len(values)):
        s += values[i]
    return s


def seen_early(values, seen):
    s = 0
    for i in range(len(values)):
        s = (s * 31 + values[i]) & 0xFFFF
        if i % 7 == 0:
            seen.add(s)
    return s


def until_the_end(values):
    s = i = 0
    try:
        while True:
            s += values[i]
            i += 1
    except IndexError:
        return s


ROOT = Node(8)
TYPES = "i2 i4 i8 u2 u4 u8 f4 f8 c8 c16".split()
FEW, MANY = ([np.ones(n, t) for t in TYPES] for n in (3, 20))
CASES = {
    "an attribute": (attribute, (ROOT,), 20_000),
    "an attribute of self": (ROOT.names, (), 20_000),
    "a method that calls itself": (ROOT.walk, (), 100),
    "a function that calls itself": (recursive, (12,), 100),
    "a slice": (sliced, ([1, 2, 3, 4], 3), 20_000),
    "a split text": (split, ("a,b,c",), 20_000),
    "items of a dict": (items, ({1: 2, 3: 4},), 20_000),
    "ten types, 3 elements": (lambda: [summed(a) for a in FEW], (), 500),
    "ten types, 20 elements": (lambda: [summed(a) for a in MANY], (), 500),
    "a guard fails at once, 30": (seen_early, (list(range(30)), set()), 5_000),
    "a guard fails at once, 3000": (seen_early, (list(range(3000)), set()), 100),
    "ends by IndexError, 30": (until_the_end, (list(range(30)),), 20_000),
    "ends by IndexError, 3000": (until_the_end, (list(range(3000)),), 300),
}
found = {}
for name, (function, arguments, times) in CASES.items():
    best = float("inf")
    for _ in range(5):
        begun = time.perf_counter()
        for _ in range(times):
            function(*arguments)
        best = min(best, time.perf_counter() - begun)
    found[name] = best / times
json.dump(found, sys.stdout)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "refused.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        env = os.environ | {"NESTWISE_CACHE_DIR": folder}
        ways = {"python": [path], "nestwise": ["-m", "nestwise", "run", path]}
        found: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
        for _ in range(rounds):
            for way, words in ways.items():
                done = subprocess.run(
                    [sys.executable, *words], env=env, capture_output=True, text=True, check=True
                )
                found[way].append(json.loads(done.stdout))
    print(f"{'loop':32} {'python':>12} {'nestwise':>12} {'ratio':>7} {'more':>10}")
    ratios = []
    for name in found["python"][0]:
        usual, ours = (statistics.median(r[name] for r in found[way]) for way in ways)
        ratios.append(ours / usual)
        more = (ours - usual) * 1e9
        print(
            f"{name:32} {usual * 1e9:9.0f} ns {ours * 1e9:9.0f} ns {ratios[-1]:7.2f} {more:7.0f} ns"
        )
    print(f"geometric mean of ratios: {statistics.geometric_mean(ratios):.2f}")


if __name__ == "__main__":
    main()
