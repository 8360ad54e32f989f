"""What a call of CPython costs a compiled loop, beside CPython's own time for the same text.

    make bench-host-calls [ARGS="--rounds 7"]

Each loop evaluates one fragment in each iteration, and hardly anything else. CPython's own time is
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
import io, json, sys, time


def nothing(n):
    for i in range(n):
        pass


def contains(n, u, k):
    c = 0
    for i in range(n):
        if (i, k) in u:
            c += 1
    return c


def three_names(n, d, k, z):
    c = 0
    for i in range(n):
        c += d.get((i, k, z), 1)
    return c


def length(n, u):
    c = 0
    for i in range(n):
        c += len(u)
    return c


def item(n, d):
    c = 0
    for i in range(n):
        c += d[7]
    return c


def appended(n, q):
    for i in range(n):
        q.append((i, None))
    return len(q)


def stored(n, d):
    for i in range(n):
        d["k"] = i
    return len(d)


def added(n, u):
    for i in range(n):
        u.add(i % 100)
    return len(u)


def printed(n):
    for i in range(n):
        print(i, i + 1)


d = {7: 1}
N = 200_000
LOOPS = [
    ("(i, k) in u", contains, N, ({(1, 2)}, 3)),
    ("d.get((i, k, z), 1)", three_names, N, (d, 3, 4)),
    ("len(u)", length, N, ({1},)),
    ("d[7]", item, N, ({7: 1},)),
    ("q.append((i, None))", appended, N, None),
    ("d['k'] = i", stored, N, ({7: 1},)),
    ("u.add(i % 100)", added, N, (set(),)),
    ("print(i, i + 1)", printed, N // 20, ()),
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
    print(f"{'fragment':22s} {'python':>9s} {'compiled':>9s} {'beside':>9s}   (ns an iteration)")
    for text in runs[0][0]:
        python, compiled = (statistics.median(r[k][text] for r in runs) for k in (0, 1))
        empty = statistics.median(r[0]["empty loop"] for r in runs)
        beside = compiled - (python - empty)
        shown = "" if text == "empty loop" else f"{beside:9.0f}"
        print(f"{text:22s} {python:9.0f} {compiled:9.0f} {shown}")


if __name__ == "__main__":
    main()
