"""What nestwise costs where it gains nothing: the hook, the start, imports; interleaved.

    python bench/overhead.py [--rounds 15]

* a site with four arrays whose kernel is cached: time of a call minus that of the same call with
  an empty function in place of the loop, so what is left is hook, decision and kernel
* a site below its trip threshold, against the same loop under plain CPython
* `nestwise run` of an empty script against `python` of the same
* `import nestwise` against an empty interpreter
* importing 500 modules without loops, and with a comprehension in each of their 20 functions, under
  nestwise against python
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HOT = """
import time
import numpy as np
import nestwise

def add(a, b, c, d, n):
    for i in range(n):
        d[i] = a[i] * b[i] + c[i]

def plain(a, b, c, d, n):
    for i in range(n):
        d[i] = a[i] * b[i] + c[i]

def nothing(a, b, c, d, n):
    pass

jitted = nestwise.jit(add)

def per_call(functions, n, rounds=60, repeats=1000):
    # The best of short rounds in turn: neighbours disturb few of them.
    arrays = [np.ones(max(n, 1)) for _ in range(4)]
    best = [1.0] * len(functions)
    for _ in range(rounds):
        for k, f in enumerate(functions):
            begun = time.perf_counter()
            for _ in range(repeats):
                f(*arrays, n)
            best[k] = min(best[k], (time.perf_counter() - begun) / repeats)
    return best

jitted(*(np.ones(200000) for _ in range(4)), 200000)
cached, base = per_call([jitted, nothing], 64)
print("cached", cached - base)
below, base = per_call([jitted, plain], 1)
print("below", below - base)
"""


def run_seconds(command: list[str], cwd: str, env: dict[str, str] | None = None) -> float:
    begun = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=cwd, env=env)
    return time.perf_counter() - begun


def interleaved(commands: dict[str, list[str]], cwd: str, rounds: int) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(run_seconds(command, cwd))
    return {name: statistics.median(values) for name, values in times.items()}


def hot(folder: Path) -> None:
    script = folder / "hot.py"
    script.write_text(HOT)
    out = subprocess.run([sys.executable, str(script)], check=True, capture_output=True, text=True)
    figures = dict(line.split() for line in out.stdout.splitlines())
    print(
        f"cached site, four arrays, 64 iterations: {float(figures['cached']) * 1e9:7.0f} ns a call"
    )
    print(
        f"site below its threshold, over plain:    {float(figures['below']) * 1e9:7.0f} ns a call"
    )


def starts(folder: Path, rounds: int) -> None:
    (folder / "empty.py").write_text("")
    python, ours = [sys.executable], [sys.executable, "-m", "nestwise", "run"]
    direct = Path(sys.executable).with_name("nestwise")
    ours = [str(direct), "run"] if direct.exists() else ours
    times = interleaved(
        {
            "python": [*python, "empty.py"],
            "nestwise": [*ours, "empty.py"],
            "import": [*python, "-c", "import nestwise"],
            "no import": [*python, "-c", ""],
        },
        str(folder),
        rounds,
    )
    print(f"empty script: python {times['python'] * 1e3:.1f} ms, ", end="")
    print(f"nestwise run {(times['nestwise'] - times['python']) * 1e3:+.1f} ms")
    print(f"import nestwise: {(times['import'] - times['no import']) * 1e3:+.1f} ms")


def imports(folder: Path, rounds: int, kind: str, returned: str) -> None:
    package = folder / "many"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    for k in range(500):
        each = (f"def f{j}(x):\n    return {returned.format(j=j)}" for j in range(20))
        body = "\n".join(each)
        (package / f"m{k}.py").write_text(body)
    lines = "\n".join(f"import many.m{k}" for k in range(500))
    (folder / "imports.py").write_text(
        f"import time\nbegun = time.perf_counter()\n{lines}\nprint(time.perf_counter() - begun)\n"
    )
    commands = {
        "python": [sys.executable, "imports.py"],
        "nestwise": [sys.executable, "-m", "nestwise", "run", "imports.py"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            out = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
            if turn:  # the first round fills the caches
                times[name].append(float(out.stdout))
    ratio = statistics.median(times["nestwise"]) / statistics.median(times["python"])
    print(f"500 modules {kind}: {(ratio - 1) * 100:+.1f} %")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["NESTWISE_CACHE_DIR"] = f"{scratch}/cache"
        hot(Path(scratch))
        starts(Path(scratch), args.rounds)
        imports(Path(scratch) / "none", args.rounds, "without loops", "x + {j}")
        comprehension = "[y + {j} for y in x]"
        imports(Path(scratch) / "some", args.rounds, "of 20 comprehensions", comprehension)


if __name__ == "__main__":
    main()
