"""No kernel touches anything beside its arrays: every one of NumPy's lies between forbidden pages.

    python tests/guard_pages.py [--jobs 2] [WORD...]

runs every script of programs/ and kernels/ that uses NumPy, on both devices, with the arrays at
either end of their pages.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import guarded
from differential import (
    DEVICES,
    HERE,
    ROOT,
    environment,
    every_program,
    python,
    source_lines,
)

GUARDED = HERE / "guarded.py"
# What they print of arrays' addresses or of who allocated them is another.
UNLIKE: tuple[str, ...] = ()
TIMEOUT_S = 300


class Run(NamedTuple):
    program: Path
    device: str
    end: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.program.stem}-{self.device}-{self.end}"


def outcome(run: Run, library: Path, cache: Path) -> tuple[str, int]:
    """(What is wrong, or nothing; how many launches there were.)"""
    expected = python(run.program, *run.arguments, timeout=TIMEOUT_S)
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        words = [sys.executable, str(GUARDED), run.end, str(library), "run"]
        words += DEVICES[run.device]
        words += ["--report=json", "--report-file", report.name, str(run.program), *run.arguments]
        done = subprocess.run(
            words,
            cwd=run.program.parent,
            env=environment(cache),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        text = Path(report.name).read_text(encoding="utf-8")
    launches = sum(nest["launches"] for nest in json.loads(text)["nests"]) if text else 0
    if done.returncode == expected.code and told(done.stdout.decode()) == told(expected.stdout):
        return "", launches
    return f"{run}: exit code {done.returncode}\n{done.stderr.decode()[-2000:]}", launches


def told(output: str) -> list[str]:
    return [line for line in output.splitlines() if not line.startswith("kernel_seconds")]


def everything() -> list[Run]:
    scripts = [path for path in every_program() if uses_numpy(path)]
    index = json.loads((ROOT / "kernels" / "index.json").read_text(encoding="utf-8"))
    runs = [
        Run(script, device, end)
        for script in scripts
        for device in ("serial", "threads")
        for end in ("end", "start")
        if script.stem not in UNLIKE
    ]
    for entry in index:
        for device in ("serial", "threads"):
            for end in ("end", "start"):
                size = str(max(4, entry["sizes"]["small"] // 3))
                program = ROOT / "kernels" / entry["file"]
                runs.append(Run(program, device, end, ("--size", size)))
    return runs


def uses_numpy(path: Path) -> bool:
    return any("numpy" in line for line in source_lines(path))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("words", nargs="*")
    given = parser.parse_args()
    runs = [r for r in everything() if all(word in str(r) for word in given.words)]
    failed = launches = 0
    with tempfile.TemporaryDirectory() as cache, ThreadPoolExecutor(given.jobs) as pool:
        library = guarded.build(Path(cache))
        for wrong, count in pool.map(lambda r: outcome(r, library, Path(cache)), runs):
            launches += count
            if wrong:
                failed += 1
                print(wrong, flush=True)
    print(f"{len(runs)} runs, {launches} launches, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())
