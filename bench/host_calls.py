"""What a call of CPython costs a compiled loop, beside CPython's own time for the same text.

    make bench-host-calls [ARGS="--rounds 7"]

Also what an operation on a container costs that the loop keeps a copy of. Each loop evaluates one
fragment in each iteration, or a few operations, and hardly anything else. CPython's own time is
that of the loop under plain Python, less that of an empty loop; the compiled loop itself costs next
to nothing. Rounds of the two interpreters alternate; the figures are medians. Times are on this
machine as it is now: compare the columns, not two runs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = """
import collections, heapq, io, json, math, sys, time


def nothing(n):
    for i in range(n):
        pass


def close(n, k):
    c = 0
    for i in range(n):
        if math.isclose(i, k):
            c += 1
    return c


def three_names(n, d, k, z):
    c = 0
    for i in range(n):
        c += d.setdefault((k, z, i % 9), 1)
    return c


def is_int(n):
    c = 0
    for i in range(n):
        if isinstance(i, int):
            c += 1
    return c


def appended(n, q):
    for i in range(n):
        q.append((i, None))
    return len(q)


def updated(n, u):
    for i in range(n):
        u.update((i % 100, 1))
    return len(u)


def printed(n):
    for i in range(n):
        print(i, i + 1)


def counted(n):
    d = {}
    for i in range(n):
        d[i % 1000] = d.get(i % 1000, 0) + 1
    return d


def counted_pairs(n):
    d = {}
    for i in range(n):
        k = (i % 30, i % 31)
        if k in d:
            d[k] += 1
        else:
            d[k] = 1
    return d


def seen(n):
    u, c = set(), 0
    for i in range(n):
        if i % 1000 in u:
            c += 1
        else:
            u.add(i % 1000)
    return c


def new_keys(n):
    d = {}
    for i in range(n):
        d[i, 7] = i
    return d


def stacked(n):
    s, c = [1], 0
    for i in range(n):
        s.append(i)
        s.append(i + 1)
        c += s.pop()
        if i % 2:
            c += s.pop()
    return c


def queued(n):
    q, c = collections.deque([(0, 0)]), 0
    for i in range(n):
        q.append((i, c))
        x, y = q.popleft()
        c = x + 1
    return c


def heaped(n):
    h, c = [(k, 0) for k in range(100)], 0
    for i in range(n):
        x, y = heapq.heappop(h)
        heapq.heappush(h, (x + 100 + i % 7, i))
    return h


N = 200_000
LOOPS = [
    ("math.isclose(i, k)", close, N, (3,)),
    ("d.setdefault((k, z, i), 1)", three_names, N, ({}, 3, 4)),
    ("isinstance(i, int)", is_int, N, ()),
    ("q.append((i, None))", appended, N, None),
    ("u.update((i, 1))", updated, N, (set(),)),
    ("print(i, i + 1)", printed, N // 20, ()),
    ("count by d.get(i, 0)", counted, N, ()),
    ("count pairs by `in`", counted_pairs, N, ()),
    ("`in` and add of a set", seen, N, ()),
    ("new keys (i, 7)", new_keys, N, ()),
    ("stack: 2 append, 1.5 pop", stacked, N, ()),
    ("queue of pairs", queued, N, ()),
    ("heap of 100 pairs", heaped, N, ()),
]


def timed(function, n, given):
    given = ([None],) if given is None else given
    begun = time.perf_counter()
    function(n, *given)
    return (time.perf_counter() - begun) / n * 1e9


real, sys.stdout = sys.stdout, io.StringIO()
found = {"empty loop": min(timed(nothing, N, ()) for _ in range(3))}
for text, function, n, given in LOOPS:
    timed(function, n, given)
    found[text] = min(timed(function, n, given) for _ in range(3))
sys.stdout = real
print(json.dumps(found))
"""


# The first of the loops that work on copies of containers.
FIRST_KEPT = "count by d.get(i, 0)"


def run(script: Path, native: bool, folder: str) -> dict[str, float]:
    words = ["-m", "nestwise", "run", "--device", "serial"] if native else []
    env = os.environ | {"NESTWISE_CACHE_DIR": folder, "NESTWISE_TIER_UP_BUDGET": "0"}
    command = [sys.executable, *words, str(script)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="runs of each interpreter (5)")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "host_calls_script.py"
        script.write_text(SCRIPT)
        run(script, True, folder)  # makes the kernels
        runs = [(run(script, False, folder), run(script, True, folder)) for _ in range(rounds)]
    print(f"{'fragment':26s} {'python':>9s} {'compiled':>9s} {'beside':>9s}   (ns an iteration)")
    kept = False
    for text in runs[0][0]:
        python, compiled = (statistics.median(r[k][text] for r in runs) for k in (0, 1))
        empty = statistics.median(r[0]["empty loop"] for r in runs)
        if text == FIRST_KEPT:
            print(f"{'operations on copies':26s} {'python':>9s} {'compiled':>9s} {'times':>9s}")
            kept = True
        beside = compiled - (python - empty)
        shown = f"{python / compiled:9.1f}" if kept else f"{beside:9.0f}"
        print(f"{text:26s} {python:9.0f} {compiled:9.0f} {shown if text != 'empty loop' else ''}")


if __name__ == "__main__":
    main()
