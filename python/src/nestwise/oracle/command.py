"""The command line of `nestwise oracle`."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from nestwise import options
from nestwise.calibrate import files
from nestwise.native import extension
from nestwise.oracle import generate, measure, page, score
from nestwise.oracle.measure import Candidate, Experiment
from nestwise.oracle.programs import GENERATED, NoProgram, Program, find

USAGE = """\
usage: nestwise oracle [options] [PATH...]

Runs scripts (those of a folder with an index.json, or single ones, each with a main() that takes
`--size N`) on every device at many sizes, and compares what was predicted and chosen with what was
measured. Ctrl-C keeps what is done; the same command goes on from there if --json is given.

  --devices D,...       of interpreter, serial, threads, gpu (all; a card that the profile has)
  --threads N,...       numbers of threads to try (every power of two, and all cores)
  --schedules N         also the first N legal schedules of every nest, one by one (0)
  --sizes N,...         these sizes instead of sizes found around the crossovers
  --spread N            sizes over the whole range, besides those at crossovers (7)
  --even                none at crossovers
  --brief               a few turns of each, of sizes up to some tens of milliseconds
  --cold                each size also from nothing: a few calls, compilation included
  --generated N         also N random programs, at three sizes each, their figures apart
  --seed S              those of this seed (drawn and told)
  --forms               each form of the programs (ndarray, list), not the first alone
  --profile F           the machine profile to price with
  --fp MODE             as for run
  --json F              every experiment, as it is measured
  --html F              the report as a page
"""

VERSION = 1
DEVICES = ("interpreter", "serial", "threads", "gpu")
# Random programs are many: fewer sizes of each do.
GENERATED_SIZES = 3
FLAGS = ("forms", "cold", "even", "brief")
VALUED = (
    "devices",
    "threads",
    "schedules",
    "sizes",
    "spread",
    "profile",
    "fp",
    "json",
    "html",
    "generated",
    "seed",
)


class Bad(ValueError):
    """A command line that makes no sense."""


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, end="")
        return 0 if arguments else 2
    try:
        asked, paths = _parse(arguments)
        programs = find(paths, asked["forms"])
        done = _kept(asked)
    except (Bad, NoProgram) as error:
        print(f"nestwise: oracle: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        if asked["generated"]:
            print(f"{asked['generated']} random programs: --seed {asked['seed']}")
            programs += generate.programs(asked["generated"], asked["seed"], Path(folder))
        try:
            failed = _run(programs, asked, done)
        except KeyboardInterrupt:
            print("\nbroken off; what is done is kept", file=sys.stderr)
            failed = 0
    if done:
        scored = [score.score(e) for e in done]
        print(text(scored, done))
        if asked["html"]:
            page.write(Path(asked["html"]), done, scored)
    return 1 if failed or not done else 0


def _parse(arguments: list[str]) -> tuple[dict[str, Any], list[str]]:
    asked: dict[str, Any] = dict.fromkeys(VALUED)
    asked |= dict.fromkeys(FLAGS, False)
    paths, rest = [], list(arguments)
    while rest:
        word = rest.pop(0)
        name, equals, value = word[2:].partition("=")
        if not word.startswith("--"):
            paths.append(word)
        elif word.startswith("--") and word[2:] in FLAGS:
            asked[name] = True
        elif name not in VALUED:
            raise Bad(f"unknown option {word} (see nestwise oracle --help)")
        elif not equals and not rest:
            raise Bad(f"{word}: a value is missing")
        else:
            asked[name] = value if equals else rest.pop(0)
    asked["generated"] = (_numbers("generated", asked["generated"]) or [0])[0]
    seed = _numbers("seed", asked["seed"])
    asked["seed"] = seed[0] if seed else int.from_bytes(os.urandom(3), "big") + 1
    if not paths and not asked["generated"]:
        raise Bad("a script or a folder is missing")
    asked["sizes"] = _numbers("sizes", asked["sizes"])
    asked["threads"] = _numbers("threads", asked["threads"]) or _some_threads()
    asked["schedules"] = (_numbers("schedules", asked["schedules"]) or [0])[0]
    asked["spread"] = (_numbers("spread", asked["spread"]) or [7])[0]
    asked["devices"] = _devices(asked["devices"], asked["profile"])
    return asked, paths


def _numbers(name: str, text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        numbers = [int(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 1:
        raise Bad(f"--{name}: {text!r} is not a list of positive whole numbers")
    return numbers


def _devices(text: str | None, profile: str | None) -> list[str]:
    """Those that are named, or all that there are: a card if there is one that has prices."""

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


def _kept(asked: dict[str, Any]) -> list[Experiment]:
    """The experiments of a run that was broken off."""
    path = asked["json"]
    if not path or not os.path.exists(path):
        return []
    try:
        content = json.loads(Path(path).read_text())
        if content["version"] != VERSION:
            raise Bad(f"{path}: version {content['version']}; this nestwise writes {VERSION}")
        return [Experiment(**one) for one in content["experiments"]]
    except (ValueError, KeyError, TypeError) as error:
        raise Bad(f"{path}: not what `nestwise oracle --json` writes: {error}") from None


def _keep(asked: dict[str, Any], done: list[Experiment]) -> None:
    if asked["json"]:
        path = Path(asked["json"])
        content = {"version": VERSION, "experiments": [one._asdict() for one in done]}
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        fresh.write_text(json.dumps(content))
        fresh.replace(path)


def _ways(asked: dict[str, Any]) -> list[Candidate]:
    every = [*measure.candidates(asked["threads"], asked["schedules"]), measure.ON_CARD]
    return [way for way in every if way.name.split()[0] in asked["devices"]]


def _effort(program: Program, asked: dict[str, Any]) -> measure.Effort:
    if asked["brief"]:
        return measure.BRIEF
    return measure.OF_MANY if program.group == GENERATED else measure.THOROUGH


def _run(programs: list[Program], asked: dict[str, Any], done: list[Experiment]) -> int:
    """Measures what is not done yet; the number of programs that failed."""
    words = [w for name in ("profile", "fp") if asked[name] for w in (f"--{name}", asked[name])]
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
                    GENERATED_SIZES if program.group == GENERATED else asked["spread"],
                    not asked["even"] and program.group != GENERATED,
                    asked["sizes"],
                    asked["cold"],
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
    return f"{name:22} {s.count:3} sizes, slowdown mean {s.mean:7.1%}, worst {s.worst:7.1%}"


class _Bar:
    """Progress, where somebody looks."""

    def __init__(self, k: int, count: int, name: str, begun: float):
        self.head = f"[{k + 1}/{count}] {name}"
        self.begun = begun

    def say(self, what: str) -> None:
        if sys.stderr.isatty():
            seconds = time.monotonic() - self.begun
            print(f"\r\x1b[K{self.head}: {what} ({seconds:.0f} s)", end="", file=sys.stderr)

    def line(self, text: str) -> None:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr)
        print(text, flush=True)


def text(scored: list[score.Scored], done: list[Experiment]) -> str:
    """The report for a terminal, of experiments and what they amount to."""
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
        head = f"{o.program:24} {o.size:9} {_seconds(o.chosen_s)} {_seconds(o.best_s)}"
        why = score.wrong(o)
        lines.append(f"{head} {o.slowdown:8.1%} best: {o.best}{'; ' + why if why else ''}")
    found = score.intervals(scored)
    if found:
        lines += ["", "sizes between which something over 5 % slower than the best was chosen"]
        lines += [f"{name:24} {low} to {high}" for name, (low, high) in found.items()]
    return "\n".join(lines)


def _figures(scored: list[score.Scored], group: str) -> list[str]:
    """How automatic runs and predictions did; beside all programs also what else would have."""
    lines = ["", f"{'against the oracle':24} {'mean':>9} {'p95':>9} {'worst':>9}"]
    for name, s in score.against_oracle(scored, group).items():
        lines.append(f"{name:24} {s.mean:9.1%} {s.p95:9.1%} {s.worst:9.1%}")
    lines += ["", f"{'prediction error':24} {'median':>9} {'p90':>9}"]
    for device, (count, half, most) in score.prediction_errors(scored).items():
        lines.append(f"{device:24} {half:9.1%} {most:9.1%}   of {count}")
    return lines


def _seconds(s: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if s * scale >= 1.0:
            return f"{s * scale:7.2f} {unit:2}"
    return f"{s * 1e9:7.0f} ns"
