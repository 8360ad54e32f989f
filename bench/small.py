"""Small functions with small loops, called often: nestwise against python, one call after another.

    python bench/small.py [--calls 20000] [--rounds 5] [NAME ...]

There is nothing to gain in them, so what counts is how little is lost. Each case runs in processes
of their own, python and nestwise in turn; the least time of a call under each, and the ratio.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import subprocess
import sys
import time


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def digits(n):
    s = 0
    while n > 0:
        s += n % 10
        n //= 10
    return s


def bisect(xs, v):
    low, high = 0, len(xs)
    while low < high:
        middle = (low + high) // 2
        if xs[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low


def newton(x):
    y = x
    while abs(y * y - x) > 1e-9 * x:
        y = 0.5 * (y + x / y)
    return y


def first_above(xs, v):
    for i in range(len(xs)):
        if xs[i] > v:
            return i
    return -1


def is_prime(n):
    for k in range(2, int(math.sqrt(n)) + 1):
        if n % k == 0:
            return False
    return True


def least_factor(n):
    k = 2
    while k * k <= n:
        if n % k == 0:
            return k
        k += 1
    return n


def collatz(n):
    s = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        s += 1
    return s


def dot3(a, b):
    s = 0.0
    for i in range(3):
        s += a[i] * b[i]
    return s


def horner(coefficients, x):
    s = 0.0
    for c in coefficients:
        s = s * x + c
    return s


def power(b, e, m):
    r = 1
    while e > 0:
        if e & 1:
            r = r * b % m
        b = b * b % m
        e >>= 1
    return r


def insertion_sort(xs):
    for i in range(1, len(xs)):
        v = xs[i]
        j = i - 1
        while j >= 0 and xs[j] > v:
            xs[j + 1] = xs[j]
            j -= 1
        xs[j + 1] = v
    return xs[0]


class Walker:
    def __init__(self):
        self.xs = list(range(20))
        self.n = 20

    def walk(self, k):
        t = 0
        while k < self.n:
            t += self.xs[k]
            k += 3
        return t


WALKER, SORTED = Walker(), list(range(0, 3000, 3))
CASES = {
    "gcd": gcd,
    "digits": lambda a, b: digits(a),
    "bisect": lambda a, b: bisect(SORTED, a % 3000),
    "newton": lambda a, b: newton(float(a)),
    "first_above": lambda a, b: first_above(SORTED, a % 30),
    "is_prime": lambda a, b: is_prime(a),
    "least_factor": lambda a, b: least_factor(a),
    "collatz": lambda a, b: collatz(a % 100 + 1),
    "dot3": lambda a, b: dot3((1.0, 2.0, a), (3.0, b, 1.0)),
    "horner": lambda a, b: horner([1.0, 2.0, 3.0, 4.0, 5.0], a * 1e-6),
    "power": lambda a, b: power(a, b, 1000003),
    "insertion_sort": lambda a, b: insertion_sort([a, b, 5, 7, a % 100, b % 77]),
    "walk": lambda a, b: WALKER.walk(a % 20),
}


def measure(name: str, calls: int) -> dict:
    """Seconds of a call, and what came out, in the process that runs it."""
    random.seed(1)
    pairs = [(random.randrange(1, 10**6), random.randrange(1, 10**6)) for _ in range(calls)]
    case = CASES[name]
    started = time.perf_counter()
    found = [case(a, b) for a, b in pairs]
    seconds = (time.perf_counter() - started) / calls
    return {"seconds": seconds, "found": repr(sum(found))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.names[0], given.calls)))
        return
    ratios = []
    print(f"{'':16} {'python':>9} {'nestwise':>9} {'ratio':>6}")
    for name in given.names or CASES:
        script = [__file__, "--measure", "--calls", str(given.calls), name]
        ways = {"python": [], "nestwise": ["-m", "nestwise", "run"]}
        least = dict.fromkeys(ways, math.inf)
        found = set()
        for _ in range(given.rounds):
            for way, words in ways.items():
                command = [sys.executable, *words, *script]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                answer = json.loads(done.stdout)
                least[way] = min(least[way], answer["seconds"])
                found.add(answer["found"])
        if len(found) > 1:
            raise SystemExit(f"{name}: the results differ: {found}")
        ratios.append(least["nestwise"] / least["python"])
        shown = "  ".join(f"{least[way] * 1e6:6.2f} us" for way in ways)
        print(f"{name:16} {shown} {ratios[-1]:6.2f}", flush=True)
    print(f"geometric mean {statistics.geometric_mean(ratios):.2f}, worst {max(ratios):.2f}")


if __name__ == "__main__":
    main()
