"""The command line of `nestwise oracle`."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from nestwise import options
from nestwise.calibrate import files
from nestwise.cli.parsing import Parser, file_name, number, numbers
from nestwise.native import extension
from nestwise.oracle import generate, measure, page, score
from nestwise.oracle.measure import Candidate, Experiment
from nestwise.oracle.programs import GENERATED, NoProgram, Program, find
from nestwise.reporting.formatting import seconds

ABOUT = """\
Runs scripts (those of a folder with an index.json, or single ones, each with a main() that takes
`--size N`) on every device at many sizes, and compares what was predicted and chosen with what was
measured. Ctrl-C keeps what is done; the same command goes on from there if --json is given.
"""

VERSION = 1
DEVICES = ("interpreter", "serial", "threads", "gpu")
# Random programs are many: fewer sizes of each do.
GENERATED_SIZES = 3


class Bad(ValueError):
    """A command line that makes no sense."""


class Asked(NamedTuple):
    """The command line, parsed."""

    paths: list[str]
    devices: list[str]
    threads: list[int]
    schedules: int
    sizes: list[int] | None
    spread: int
    even: bool
    brief: bool
    cold: bool
    generated: int
    seed: int
    forms: bool
    profile: str | None
    fp: str | None
    json: str | None
    html: str | None


def main(arguments: list[str]) -> int:
    """Measures, and tells how choices and predictions did; gives 1 where a program
    failed, else 0.
    """
    try:
        asked = _parse(arguments)
        programs = find(asked.paths, asked.forms)
        done = _kept(asked)
    except (Bad, NoProgram) as error:
        print(f"nestwise: oracle: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        if asked.generated:
            print(f"{asked.generated} random programs: --seed {asked.seed}")
            programs += generate.programs(asked.generated, asked.seed, Path(folder))
        try:
            failed = _run(programs, asked, done)
        except KeyboardInterrupt:
            print("\nbroken off; what is done is kept", file=sys.stderr)
            failed = 0
    if done:
        scored = [score.score(e) for e in done]
        print(text(scored, done))
        if asked.html:
            page.write(Path(asked.html), done, scored)
    return 1 if failed or not done else 0


def _parse(arguments: list[str]) -> Asked:
    parser = Parser("oracle", ABOUT)
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="scripts and folders")
    add(
        "--devices",
        metavar="D,...",
        help=f"of {', '.join(DEVICES)} (all; a card that the profile has)",
    )
    add(
        "--threads",
        type=numbers,
        metavar="N,...",
        help="numbers of threads to try (every power of two, and all cores)",
    )
    add(
        "--schedules",
        type=number,
        default=0,
        metavar="N",
        help="also the first N legal schedules of every nest, one by one (0)",
    )
    add(
        "--sizes",
        type=numbers,
        metavar="N,...",
        help="these sizes instead of sizes found around the crossovers",
    )
    add(
        "--spread",
        type=number,
        default=7,
        metavar="N",
        help="sizes over the whole range, besides those at crossovers (7)",
    )
    add("--even", action="store_true", help="none at crossovers")
    add(
        "--brief",
        action="store_true",
        help="a few turns of each, of sizes up to some tens of milliseconds",
    )
    add(
        "--cold",
        action="store_true",
        help="each size also from nothing: a few calls, compilation included",
    )
    add(
        "--generated",
        type=number,
        default=0,
        metavar="N",
        help="also N random programs, at three sizes each, their figures apart",
    )
    add("--seed", type=number, metavar="S", help="those of this seed (drawn and told)")
    add(
        "--forms",
        action="store_true",
        help="each form of the programs (ndarray, list), not the first alone",
    )
    add("--profile", metavar="F", help="the machine profile to price with")
    add("--fp", metavar="MODE", help="as for run")
    add("--json", type=file_name, metavar="F", help="every experiment, as it is measured")
    add("--html", type=file_name, metavar="F", help="the report as a page")
    given = vars(parser.parse_args(arguments))
    if not given["paths"] and not given["generated"]:
        raise Bad("a script or a folder is missing")
    given["seed"] = given["seed"] or int.from_bytes(os.urandom(3), "big") + 1
    given["threads"] = given["threads"] or _some_threads()
    given["devices"] = _devices(given["devices"], given["profile"])
    return Asked(**given)


def _devices(text: str | None, profile: str | None) -> list[str]:
    """Gives the devices that are named, or all that there are: a card if there is one that has
    prices.
    """
    if text is None:
        return [d for d in DEVICES if d != "gpu" or _has_card(profile)]
    named = text.split(",")
    if unknown := set(named) - set(DEVICES):
        raise Bad(f"--devices: unknown: {', '.join(sorted(unknown))}")
    if "gpu" in named and not _card():
        raise Bad("--devices gpu: there is no card here that can be used")
    return named


def _has_card(profile: str | None) -> bool:
    """Whether runs with that profile, or the one that they find, have prices of the card here."""
    path = profile or os.environ.get("NESTWISE_PROFILE") or options.profile_path()
    if path is None or not os.path.exists(path):
        return False
    return bool(files.read(path)["gpu"]) and _card()


def _card() -> bool:
    """Whether there is a card here that can be used."""
    extension.require()
    import nestwise._core as core

    return core.card() is not None


def _some_threads() -> list[int]:

    extension.require()
    import nestwise._core as core

    cores = core.cores()
    return sorted({2**k for k in range(1, cores.bit_length()) if 2**k <= cores} | {cores} - {1})


def _kept(asked: Asked) -> list[Experiment]:
    """Reads the experiments of a run that was broken off."""
    path = asked.json
    if not path or not os.path.exists(path):
        return []
    try:
        content = json.loads(Path(path).read_text())
        if content["version"] != VERSION:
            raise Bad(f"{path}: version {content['version']}; this nestwise writes {VERSION}")
        return [Experiment(**one) for one in content["experiments"]]
    except (ValueError, KeyError, TypeError) as error:
        raise Bad(f"{path}: not what `nestwise oracle --json` writes: {error}") from None


def _keep(asked: Asked, done: list[Experiment]) -> None:
    if asked.json:
        path = Path(asked.json)
        content = {"version": VERSION, "experiments": [one._asdict() for one in done]}
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        fresh.write_text(json.dumps(content))
        fresh.replace(path)


def _ways(asked: Asked) -> list[Candidate]:
    every = [*measure.candidates(asked.threads, asked.schedules), measure.ON_CARD]
    return [way for way in every if way.name.split()[0] in asked.devices]


def _effort(program: Program, asked: Asked) -> measure.Effort:
    if asked.brief:
        return measure.BRIEF
    return measure.OF_MANY if program.group == GENERATED else measure.THOROUGH


def _run(programs: list[Program], asked: Asked, done: list[Experiment]) -> int:
    """Measures what is not done yet; gives the number of programs that failed."""
    words = ["--profile", asked.profile] if asked.profile else []
    words += ["--fp", asked.fp] if asked.fp else []
    known, failed = {one.program for one in done}, 0
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as cache:
        for k, program in enumerate(programs):
            if program.name in known:
                continue
            bar = _Bar(k, len(programs), program.name, begun)
            found: list[Experiment] = []
            try:
                found += measure.experiments(
                    program,
                    _ways(asked),
                    words,
                    Path(cache),
                    GENERATED_SIZES if program.group == GENERATED else asked.spread,
                    not asked.even and program.group != GENERATED,
                    asked.sizes,
                    asked.cold,
                    bar.say,
                    _effort(program, asked),
                )
            except measure.Failed as error:
                failed += 1
                bar.line(f"{program.name}: {error}")
                continue
            done += found
            _keep(asked, done)
            bar.line(_one_line(program.name, [score.score(e) for e in found]))
    return failed


def _one_line(name: str, scored: list[score.Scored]) -> str:
    s = score.summary([one.slowdown for one in scored])
    return f"{name:22} {s.experiments:3} sizes, slowdown mean {s.mean:7.1%}, worst {s.worst:7.1%}"


class _Bar:
    """A progress bar, shown only on a terminal."""

    def __init__(self, k: int, count: int, name: str, begun: float) -> None:
        self.head = f"[{k + 1}/{count}] {name}"
        self.begun = begun

    def say(self, what: str) -> None:
        if sys.stderr.isatty():
            spent = time.monotonic() - self.begun
            print(f"\r\x1b[K{self.head}: {what} ({spent:.0f} s)", end="", file=sys.stderr)

    def line(self, text: str) -> None:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr)
        print(text, flush=True)


def text(scored: list[score.Scored], done: list[Experiment]) -> str:
    """Gives the report for a terminal, of experiments and what they amount to."""
    cold, making = score.cold(done), score.making_errors(done)
    lines = []
    for group, those in score.groups(scored).items():
        about = f"{group}: " if group else ""
        count = len({one.program for one in those})
        lines += ["", f"{about}{len(those)} experiments, {count} programs", *_figures(those, group)]
    if cold:
        ratios = [one.ratio for one in cold]
        mean, most = sum(ratios) / len(ratios), max(ratios)
        lines += ["", f"{measure.COLD_CALLS} calls from nothing, against the best in hindsight:"]
        lines.append(f"{'chosen':24} {mean:8.2f}x mean, {most:.2f}x worst, of {len(cold)}")
    for row, (count, half, most) in making.items():
        lines.append(f"{row:24} {half:9.1%} {most:9.1%}   of {count}, median and p90 error")
    worst = sorted(scored, key=lambda o: -o.slowdown)[:10]
    lines += ["", f"{'the worst':24} {'size':>9} {'chosen':>10} {'best':>10}"]
    for o in worst:
        head = f"{o.program:24} {o.size:9} {seconds(o.chosen_s):>10} {seconds(o.best_s):>10}"
        why = score.wrong(o)
        lines.append(f"{head} {o.slowdown:8.1%} best: {o.best}{'; ' + why if why else ''}")
    found = score.intervals(scored)
    if found:
        lines += ["", "sizes between which something over 5 % slower than the best was chosen"]
        lines += [f"{name:24} {low} to {high}" for name, (low, high) in found.items()]
    return "\n".join(lines)


def _figures(scored: list[score.Scored], group: str) -> list[str]:
    """Gives lines on how automatic runs and predictions did; for all programs together also on how
    other strategies would have done.
    """
    lines = ["", f"{'against the oracle':24} {'mean':>9} {'p95':>9} {'worst':>9}"]
    for name, s in score.against_oracle(scored, group).items():
        lines.append(f"{name:24} {s.mean:9.1%} {s.p95:9.1%} {s.worst:9.1%}")
    lines += ["", f"{'prediction error':24} {'median':>9} {'p90':>9}"]
    for device, (count, half, most) in score.prediction_errors(scored).items():
        lines.append(f"{device:24} {half:9.1%} {most:9.1%}   of {count}")
    return lines
