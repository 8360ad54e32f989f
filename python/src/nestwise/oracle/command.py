"""The command line of `nestwise oracle`."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

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
        options, paths = _parse(arguments)
        programs = find(paths, options["forms"])
        done = _kept(options)
    except (Bad, NoProgram) as error:
        print(f"nestwise: oracle: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        if options["generated"]:
            print(f"{options['generated']} random programs: --seed {options['seed']}")
            programs += generate.programs(options["generated"], options["seed"], Path(folder))
        try:
            failed = _run(programs, options, done)
        except KeyboardInterrupt:
            print("\nbroken off; what is done is kept", file=sys.stderr)
            failed = 0
    if done:
        scored = [score.score(e) for e in done]
        print(text(scored, done))
        if options["html"]:
            page.write(Path(options["html"]), done, scored)
    return 1 if failed or not done else 0


def _parse(arguments: list[str]) -> tuple[dict[str, Any], list[str]]:
    options: dict[str, Any] = dict.fromkeys(VALUED)
    options |= dict.fromkeys(FLAGS, False)
    paths, rest = [], list(arguments)
    while rest:
        word = rest.pop(0)
        name, equals, value = word[2:].partition("=")
        if not word.startswith("--"):
            paths.append(word)
        elif word.startswith("--") and word[2:] in FLAGS:
            options[name] = True
        elif name not in VALUED:
            raise Bad(f"unknown option {word} (see nestwise oracle --help)")
        elif not equals and not rest:
            raise Bad(f"{word}: a value is missing")
        else:
            options[name] = value if equals else rest.pop(0)
    options["generated"] = (_numbers("generated", options["generated"]) or [0])[0]
    seed = _numbers("seed", options["seed"])
    options["seed"] = seed[0] if seed else int.from_bytes(os.urandom(3), "big") + 1
    if not paths and not options["generated"]:
        raise Bad("a script or a folder is missing")
    options["sizes"] = _numbers("sizes", options["sizes"])
    options["threads"] = _numbers("threads", options["threads"]) or _some_threads()
    options["schedules"] = (_numbers("schedules", options["schedules"]) or [0])[0]
    options["spread"] = (_numbers("spread", options["spread"]) or [7])[0]
    options["devices"] = _devices(options["devices"], options["profile"])
    return options, paths


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
    from nestwise import config

    if text is None:
        return [d for d in DEVICES if d != "gpu" or _has_card(profile)]
    named = text.split(",")
    if unknown := set(named) - set(DEVICES):
        raise Bad(f"--devices: unknown: {', '.join(sorted(unknown))}")
    if "gpu" in named and config.core().card() is None:
        raise Bad("--devices gpu: there is no card here that can be used")
    return named


def _has_card(profile: str | None) -> bool:
    """Whether runs with that profile, or the one that they find, have prices of the card here."""
    from nestwise import config
    from nestwise.calibrate import files

    path, core = (
        profile or os.environ.get("NESTWISE_PROFILE") or config.profile_path(),
        config.core(),
    )
    if path is None or not os.path.exists(path):
        return False
    return bool(files.read(path, core)["gpu"]) and core.card() is not None


def _some_threads() -> list[int]:
    from nestwise import config

    cores = config.core().cores()
    return sorted({2**k for k in range(1, cores.bit_length()) if 2**k <= cores} | {cores} - {1})


def _kept(options: dict[str, Any]) -> list[Experiment]:
    """The experiments of a run that was broken off."""
    path = options["json"]
    if not path or not os.path.exists(path):
        return []
    try:
        content = json.loads(Path(path).read_text())
        if content["version"] != VERSION:
            raise Bad(f"{path}: version {content['version']}; this nestwise writes {VERSION}")
        return [Experiment(**one) for one in content["experiments"]]
    except (ValueError, KeyError, TypeError) as error:
        raise Bad(f"{path}: not what `nestwise oracle --json` writes: {error}") from None


def _keep(options: dict[str, Any], done: list[Experiment]) -> None:
    if options["json"]:
        path = Path(options["json"])
        content = {"version": VERSION, "experiments": [one._asdict() for one in done]}
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        fresh.write_text(json.dumps(content))
        fresh.replace(path)


def _ways(options: dict[str, Any]) -> list[Candidate]:
    every = [*measure.candidates(options["threads"], options["schedules"]), measure.ON_CARD]
    return [way for way in every if way.name.split()[0] in options["devices"]]


def _effort(program: Program, options: dict[str, Any]) -> measure.Effort:
    if options["brief"]:
        return measure.BRIEF
    return measure.OF_MANY if program.group == GENERATED else measure.THOROUGH


def _run(programs: list[Program], options: dict[str, Any], done: list[Experiment]) -> int:
    """Measures what is not done yet; the number of programs that failed."""
    words = [w for name in ("profile", "fp") if options[name] for w in (f"--{name}", options[name])]
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
                    _ways(options),
                    words,
                    Path(cache),
                    GENERATED_SIZES if program.group == GENERATED else options["spread"],
                    not options["even"] and program.group != GENERATED,
                    options["sizes"],
                    options["cold"],
                    bar.say,
                    _effort(program, options),
                )
            except measure.Failed as error:
                failed += 1
                bar.line(f"{program.name}: {error}")
                continue
            done += found
            _keep(options, done)
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
