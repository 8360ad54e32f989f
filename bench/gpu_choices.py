"""What nestwise chooses for programs of kernels/ on a machine with a card, beside what is best.

    python bench/gpu_choices.py [--json F] [--seconds S] [NAME ...]

Each program at its medium and large size, warm, on one core, on all, on the card, and where it
chooses (as prices say, learning off): medians of turns that alternate. A quick look; `nestwise
oracle` measures the same with care. Needs a profile with a card (`nestwise calibrate`); stops when
the seconds are over (300).
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from nestwise.oracle.measure import ON_CARD, OURS, PRICES, Candidate, Failed, Server
from nestwise.oracle.programs import Program, find

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
WAYS = (
    Candidate("serial", ("--device", "serial")),
    Candidate("threads", ("--device", "threads")),
    ON_CARD,
    OURS[0],
)
TURNS, LONG_S = 5, 0.5
SETTLED_S, SETTLED_TURNS = 0.5, 8


def measured(program: Program, size: str, cache: Path) -> dict:
    """Medians by way, in seconds, and what was predicted by device."""
    arguments = ["--size", size]
    ways = {way.name: Server(program, way, (), cache) for way in (*WAYS, PRICES)}
    try:
        predicted = ways.pop(PRICES.name).ask(arguments, 1)["predicted"]
        answers = {name: server.ask(arguments, 2) for name, server in ways.items()}
        if len({answer["checksum"] for answer in answers.values()}) > 1:
            raise Failed(f"{program.name} {size}: the results differ")
        spent = 0.0
        for _ in range(SETTLED_TURNS):
            spent += sum(ways["chosen"].ask(arguments, 1)["seconds"])
            if spent > SETTLED_S:
                break
        times: dict[str, list[float]] = {name: [] for name in ways}
        for turn in range(TURNS):
            for name, server in ways.items():
                if turn == 0 or times[name][0] < LONG_S:
                    times[name] += server.ask(arguments, 1)["seconds"]
    finally:
        for server in ways.values():
            server.close()
    medians = {name: statistics.median(seconds) for name, seconds in times.items()}
    return {"program": program.name, "size": size, "seconds": medians, "predicted": predicted}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    begun, found = time.perf_counter(), []
    programs = [p for p in find([str(KERNELS)]) if not asked.names or p.name in asked.names]
    print(f"{'':<28} {'serial':>10} {'threads':>10} {'gpu':>10} {'chosen':>10}   (predicted)")
    with tempfile.TemporaryDirectory() as folder:
        for program, size in [(p, size) for size in ("medium", "large") for p in programs]:
            if time.perf_counter() - begun > asked.seconds:
                break
            try:
                one = measured(program, size, Path(folder))
            except Failed as error:
                print(f"{program.name} {size}: {error}", file=sys.stderr, flush=True)
                continue
            found.append(one)
            cells = (f"{one['seconds'][way.name] * 1e3:8.2f}ms" for way in WAYS)
            told = (
                f"{device} {1e3 * one['predicted'][device]:.2f}"
                for device in ("serial", "threads", "gpu")
                if device in one["predicted"]
            )
            print(f"{program.name + ' ' + size:<28}", *cells, f"  ({', '.join(told)})", flush=True)
            if asked.json:
                Path(asked.json).write_text(json.dumps(found, indent=1))
    rest = [s for one in found for s in [one["seconds"]]]
    slower = [s["chosen"] / min(s[w] for w in s if w != "chosen") - 1 for s in rest]
    if slower:
        print(f"{len(slower)} experiments: chosen is slower than the best by "
              f"{statistics.mean(slower):.1%} in the mean, {max(slower):.1%} at worst")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
