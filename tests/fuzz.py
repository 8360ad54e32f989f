"""Random programs under CPython and under nestwise; what differs is shrunk and kept.

    fuzz.py [--seed N] [--programs N] [--functions N] [--no-shrink] [--keep-going]
    fuzz.py --nests [--seed N] [--programs N] [--no-shrink] [--keep-going]

The first kind counts single programs, of which a script has many, and only those that ran compiled
(batches.py); the second counts scripts. Everything follows from the seeds, which are printed:
`--seed` goes on where a run has stopped. A difference is reduced to a small script in
programs/found/, from where test_programs.py runs it from then on.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import batches  # noqa: E402
import generator  # noqa: E402
import nest_generator  # noqa: E402
from differential import (  # noqa: E402
    DEVICES,
    PROGRAMS,
    Done,
    Treatment,
    difference,
    fallbacks,
    nestwise,
    python,
)
from shrinking import shrink  # noqa: E402

LIMIT_S = 30


def compare(
    text: str, name: str, folder: Path, devices: Sequence[str | Treatment]
) -> tuple[str | Treatment | None, str, list[tuple[str | Treatment, Done]]]:
    """(device, diff, runs): no device and an empty diff when all agree with CPython."""
    program = folder / f"{name}.py"
    program.write_text(text, encoding="utf-8")
    expected = python(program, timeout=LIMIT_S)
    if expected.code == "timeout" or "SyntaxError" in expected.stderr:
        return None, "", []
    runs = []
    for device in devices:
        got = nestwise(program, device, folder / "cache", timeout=3 * LIMIT_S)
        runs.append((device, got))
        found = difference(expected, got)
        if found:
            return device, f"{found}\n{fallbacks(got, program)}", runs
    return None, "", runs


# Forms of nests for tests, each as often as it is hard to get right.
FORMS = [
    "every",
    "waves",
    "distributed",
    "interchanged",
    "rewritten",
    "promoted",
    "written",
    "hoisted",
]


def treatments(seed: int) -> list[Treatment]:
    """How the random nests of a seed run: on one core; on threads, part by part in an order of the
    seed's; on threads as they come."""
    count = len(FORMS)
    form, other = FORMS[seed % count], FORMS[(seed // count + seed + 1) % count]
    few, many = (2, 5) if seed % 2 else (5, 2)
    alone = ["every", "rewritten", "interchanged"][seed % 3]
    return [
        Treatment("serial", 1, f"{alone}:{seed}"),
        Treatment("threads", few, f"{form}:{seed}"),
        Treatment("threads", many, other),
    ]


def means(runs: Sequence[tuple[str | Treatment, Done]]) -> Counter[str]:
    """By what was done with nests, or made it possible: the loops that ran so."""
    found = {
        (nest["line"], word)
        for _, done in runs
        for nest in (done.report or {}).get("nests", ())
        for word in nest["means"]
    }
    return Counter(word for _, word in found)


def share_compiled(runs: Sequence[tuple[str | Treatment, Done]]) -> tuple[int, int]:
    """(loops that ran compiled, loops met), over runs on a device that is forced."""
    met = ran = 0
    for device, done in runs:
        if device in ("auto", "planned", "together", "apart") or done.report is None:
            continue
        lines: dict[int, bool] = {}
        for nest in done.report.get("nests", ()):
            lines[nest["line"]] = lines.get(nest["line"], False) or nest["launches"] > 0
        met += len(lines)
        ran += sum(lines.values())
    return ran, met


# -- what differs --------------------------------------------------------------------------------


def keep(
    name: str, text: str, device: str | Treatment, folder: Path, likely: Sequence[str] = ()
) -> Path:
    """Shrinks a script and saves it among those that are always run."""

    def differs(text: str) -> bool:
        return bool(compare(text, f"shrink_{name}", folder, [device])[0])

    small = shrink(text, differs, likely=likely)
    if isinstance(device, Treatment):
        small = f"# {device}\n{small}"
    target = PROGRAMS / "found" / f"{name}.py"
    target.parent.mkdir(exist_ok=True)
    target.write_text(small, encoding="utf-8")
    return target


def recorded(program: Path) -> list[Treatment]:
    """The treatment that a kept program differed under, from its first line."""
    words = program.read_bytes().partition(b"\n")[0].decode("ascii", "replace").split()
    if len(words) in (3, 4) and words[0] == "#" and words[1] in DEVICES and words[2].isdigit():
        return [Treatment(words[1], int(words[2]), *words[3:])]
    return []


# -- the runs ------------------------------------------------------------------------------------


def ahead(pool: ThreadPoolExecutor, seeds: Iterator[int], job) -> Iterator[Future]:
    """Jobs in the order of their seeds, a few of them started before they are asked for."""
    started = [pool.submit(job, seed) for _, seed in zip(range(4), seeds, strict=False)]
    while started:
        yield started.pop(0)
        started += [pool.submit(job, seed) for _, seed in zip(range(1), seeds, strict=False)]


def fuzz_programs(options: argparse.Namespace, folder: Path) -> int:
    """Random programs until so many have counted; the number of differences."""
    made = counted = differences = 0
    facts: Counter[str] = Counter()
    begun = time.monotonic()
    seed = options.seed

    def job(seed: int) -> batches.Batch:
        return batches.of_seed(seed, options.functions, folder)

    def summary() -> str:
        pace = counted / max(time.monotonic() - begun, 1e-9) * 60
        return (
            f"{made} programs, {counted} counted ({counted / max(made, 1):.1%}), {differences} "
            f"differences, {pace:.0f} counted a minute; go on with --seed {seed + 1}"
        )

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        try:
            for number, done in enumerate(ahead(pool, iter(range(seed, sys.maxsize)), job), 1):
                batch = done.result()
                seed = batch.seed
                if batch.expected.code != 0:
                    print(f"seed {seed}: CPython ended with {batch.expected.code}", flush=True)
                elif batch.treatment is not None:
                    differences += 1
                    print(f"seed {seed} differs on {batch.treatment}:\n{batch.found}", flush=True)
                    if not options.no_shrink:
                        text = generator.script(seed, options.functions)
                        name = f"seed_{seed}"
                        kept = keep(name, text, batch.treatment, folder, batch.likely())
                        print("kept as", kept, flush=True)
                    if not options.keep_going:
                        break
                else:
                    made, counted = made + len(batch.programs), counted + len(batch.counted)
                    facts += batch.facts
                if number % 10 == 0:
                    print(summary(), flush=True)
                if counted >= options.programs:
                    break
        except KeyboardInterrupt:
            print("stopped", flush=True)
        pool.shutdown(wait=False, cancel_futures=True)
        print(summary())
        print(", ".join(f"{word} {count}" for word, count in facts.most_common()), flush=True)
    return differences


def fuzz_nests(options: argparse.Namespace, folder: Path) -> int:
    """Random nests in every legal form; the number of differences."""
    ran = met = differences = 0
    words: Counter[str] = Counter()

    def job(seed: int):
        text = nest_generator.script(seed)
        return seed, text, compare(text, f"seed_{seed}", folder, treatments(seed))

    print(f"seeds {options.seed} to {options.seed + options.programs - 1}", flush=True)
    with ThreadPoolExecutor(2) as pool:
        seeds = iter(range(options.seed, options.seed + options.programs))
        for number, done in enumerate(ahead(pool, seeds, job), 1):
            seed, text, (device, found, runs) = done.result()
            native, loops = share_compiled(runs)
            ran, met = ran + native, met + loops
            words += means(runs)
            if device is not None:
                differences += 1
                print(f"seed {seed} differs on {device}:\n{found}")
                if not options.no_shrink:
                    print("kept as", keep(f"nests_{seed}", text, device, folder), flush=True)
                if not options.keep_going:
                    pool.shutdown(cancel_futures=True)
                    break
            if number % 20 == 0:
                print(f"{number} programs, {ran} of {met} loops ran compiled", flush=True)
    print(f"{differences} differences; {ran} of {met} loops ran compiled")
    print(", ".join(f"{word} {count}" for word, count in words.most_common()))
    return differences


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000_000)
    parser.add_argument("--programs", type=int, help="50000 that count; with --nests 200 scripts")
    parser.add_argument("--functions", type=int, default=40, help="programs in each script")
    parser.add_argument("--nests", action="store_true", help="loop nests, in every legal form")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at a difference")
    options = parser.parse_args()
    options.programs = options.programs or (200 if options.nests else 50_000)
    with tempfile.TemporaryDirectory() as temporary:
        work = fuzz_nests if options.nests else fuzz_programs
        return 1 if work(options, Path(temporary)) else 0


if __name__ == "__main__":
    sys.exit(main())
