"""Runs seeds of one or more domains, and tells what became of them."""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from .domain import Batch, Domain, Script, examined
from .domains import DOMAINS
from .kept import keep

# Programs of each domain.
COUNT = 2_000
# Programs from which on it is looked whether they have become tame.
MANY = 200
# Scripts between two lines about how it goes.
TOLD = 20


class Totals:
    """What became of the scripts of a domain so far."""

    def __init__(self, domain: Domain):
        self.domain = domain
        self.scripts = self.programs = self.compiled = self.broken = 0
        self.kinds: Counter[str] = Counter()
        self.facts: Counter[str] = Counter()
        self.begun = time.monotonic()

    def add(self, batch: Batch) -> None:
        self.scripts += 1
        self.programs += len(batch.programs)
        self.compiled += len(batch.compiled)
        self.broken += len(batch.broken)
        self.kinds.update(finding.kind for finding in batch.findings)
        self.facts += batch.facts

    def __str__(self) -> str:
        found = ", ".join(f"{count} {kind}" for kind, count in self.kinds.items())
        return (
            f"{self.domain.name}: {self.programs} programs in {self.scripts} scripts, "
            f"{self.compiled} ran compiled; {found or 'no findings'}"
            f"{f', {self.broken} broken' if self.broken else ''}; "
            f"{time.monotonic() - self.begun:.0f} s"
        )


def ahead(pool: ThreadPoolExecutor, jobs: Iterator[Callable[[], Batch]]) -> Iterator[Future[Batch]]:
    """Jobs in their order, a few of them started before they are asked for."""
    started = [pool.submit(job) for _, job in zip(range(4), jobs, strict=False)]
    while started:
        yield started.pop(0)
        started += [pool.submit(job) for _, job in zip(range(1), jobs, strict=False)]


def jobs_of(
    domain: Domain, options: argparse.Namespace, count: int, folder: Path
) -> Iterator[Callable[[], Batch]]:
    """Scripts of the seeds from `--seed` on, of `count` programs altogether."""
    seed, left, functions = options.seed, count, options.functions or domain.functions
    while left > 0:
        size = min(functions, left)

        def job(seed: int = seed, size: int = size) -> Batch:
            return examined(domain, seed, folder, size, options.device)

        yield job
        seed, left = seed + 1, left - size


def fuzz(domain: Domain, options: argparse.Namespace, count: int, seconds: float) -> bool:
    """Whether nothing was found in `count` programs, or in as many as were run in time."""
    folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{domain.name}-"))
    print(f"--domain {domain.name} --seed {options.seed}, in {folder}", flush=True)
    totals, seed = Totals(domain), options.seed - 1
    pool = ThreadPoolExecutor(1 if domain.alone else options.jobs)
    try:
        for done in ahead(pool, jobs_of(domain, options, count, folder)):
            batch = done.result()
            seed = batch.seed
            totals.add(batch)
            for what in batch.broken:
                print(f"seed {seed}: a mistake of the generator's: {what}", flush=True)
            for finding in batch.findings:
                what = " ".join(filter(None, (finding.name, finding.kind)))
                print(f"seed {seed}: {what} on {finding.treatment}")
                print(finding.text, flush=True)
                options.shrink -= 1
                script = Script(domain, seed, batch.text, folder, [finding.treatment])
                kept = keep(script, batch, finding, options.shrink >= 0, options.out)
                print("kept as", kept, flush=True)
            if not batch.findings:
                (folder / f"{domain.name}_{seed}.py").unlink(missing_ok=True)
            elif not options.keep_going:
                break
            if totals.scripts % TOLD == 0:
                print(totals, flush=True)
            if time.monotonic() - totals.begun > seconds:
                break
    except KeyboardInterrupt:
        print("stopped", flush=True)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        print(f"{totals}; go on with --seed {seed + 1}")
        print("  " + ", ".join(f"{word} {n}" for word, n in totals.facts.most_common()), flush=True)
    # A device that was asked for may have none of it.
    look = totals.programs >= MANY and not options.device
    rare = domain.tame(totals.facts) if look else {}
    if rare:
        print(f"  happened less often than wanted: {rare}")
    return not (totals.kinds or totals.broken or rare)


def main(arguments: list[str] | None = None) -> int:
    names = "\n".join(f"  {domain.name:<12}{domain.about}" for domain in DOMAINS.values())
    parser = argparse.ArgumentParser(
        prog="fuzz",
        description="Random programs under CPython and under nestwise.",
        epilog=f"domains:\n{names}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--domain", default="all", choices=[*DOMAINS, "all"], metavar="NAME")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--count", type=int, help=f"programs of all domains ({COUNT} of each)")
    parser.add_argument(
        "--seconds", type=float, help="stop after this time, domains in equal parts"
    )
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--functions", type=int, default=0, help="programs in a script")
    parser.add_argument("--device", default="", help="one device instead of the domain's")
    parser.add_argument("--shrink", type=int, default=1, help="how many findings to make small")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at a finding")
    parser.add_argument("--out", type=Path, help="where scripts of findings go")
    options = parser.parse_args(arguments)
    chosen = list(DOMAINS.values()) if options.domain == "all" else [DOMAINS[options.domain]]
    for domain in list(chosen):
        if why := domain.unavailable():
            print(f"{domain.name}: left out: {why}")
            chosen.remove(domain)
    count = (options.count or COUNT * len(chosen)) // max(len(chosen), 1)
    seconds = (options.seconds or float("inf")) / max(len(chosen), 1)
    try:
        fine = [fuzz(domain, options, max(count, 1), seconds) for domain in chosen]
    except KeyboardInterrupt:
        return 130
    return 0 if chosen and all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
