"""`nestwise calibrate`: measures this machine and leaves the profile where runs find it."""

from __future__ import annotations

import datetime
import json
import os
import platform
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any

from nestwise import options
from nestwise.calibrate import files
from nestwise.calibrate.files import BOUNDS, SHARES, BadProfile
from nestwise.cli.parsing import Parser, file_name
from nestwise.native import extension
from nestwise.reporting.formatting import seconds

if TYPE_CHECKING:
    from nestwise.calibrate.measure import Pace, Progress
    from nestwise.calibrate.sections import Section

ABOUT = """\
Measures what CPython takes for each kind of work, what a native launch takes around its loops, what
both take more where caches are cold, what compiling takes, what compiled code takes, what memory
takes that nobody has touched, what threads add and cost, and what a graphics card takes; fits a
weight to each, and writes them as this machine's profile. Runs of nestwise find it by themselves:
  {path}
How far predictions are off is told by loops that nothing was fitted to.

A profile belongs to a machine and a minor version of Python. `nestwise run --profile default` does
without one; `nestwise profile show` prints what is in force.
"""

# Seconds of measuring, at most: CPython's probes, launches, cold calls, compiled code, untouched
# memory, threads; beyond those a card, if there is one.
FULL_GPU, QUICK_GPU = 3.0, 0.3
FULL, QUICK = (7.0, 2.5, 1.0, 3.5, 0.5, 2.0), (0.7, 0.3, 0.2, 0.4, 0.05, 0.1)

# Of `host`, what is no time.
HOST_SIZES = ("caches", "overlap")
# Paces that differ by more are told.
UNSTEADY = 1.1

# So many cores busy with something else, while this looks for so long, are told.
LOOK_S = 0.3
BUSY = 0.5


def main(arguments: list[str]) -> int:
    """Measures this machine; gives 2 where the profile cannot be measured or written, else 0."""
    try:
        quick, out = _parse(arguments)
        measure(quick, out)
    except BadProfile as error:
        print(f"nestwise: {error}", file=sys.stderr)
        return 2
    return 0


def _parse(arguments: list[str]) -> tuple[bool, str]:
    """Gives whether the measurement is to be quick, and the file to write."""
    path = options.profile_path()
    parser = Parser("calibrate", ABOUT.format(path=path or "(no folder for settings)"))
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a rough profile in five to ten seconds (else about fifteen)",
    )
    parser.add_argument(
        "--out", type=file_name, metavar="F", help="write to F; use it with --profile F"
    )
    given = parser.parse_args(arguments)
    out = given.out or path
    if out is None:
        raise BadProfile("calibrate: no folder for settings is known: say where with --out F")
    files.check_writable(out)
    return given.quick, out


def measure(quick: bool, out: str) -> None:
    """Measures this machine, prints what was found, and writes the profile to `out`."""
    from nestwise.calibrate import cold, pages, sections, threads
    from nestwise.calibrate.measure import PACE_TRIPS, Pace, Progress

    try:
        import numpy as np
    except ImportError:
        raise BadProfile("calibrate: NumPy is not installed: its part cannot be measured") from None
    begun, busy = time.perf_counter(), _busy()
    budgets = QUICK if quick else FULL
    bar = Progress(sys.stderr)
    everywhere: list[float] = []

    def pace(at: float, part: float, what: str) -> Pace:
        return Pace(lambda s: bar.show(at + s * part, what), everywhere)

    paces = {
        "interpreter": pace(0.05, 0.45, "CPython"),
        "call": pace(0.5, 0.2, "launches"),
        "cold": pace(0.7, 0.05, "cold calls"),
        "host": pace(0.75, 0.13, "compiled code"),
        "pages": pace(0.88, 0.02, "untouched memory"),
    }
    sections.configure("auto", prices=True)
    if not extension.available():
        raise BadProfile("calibrate: the native part cannot be loaded")
    import nestwise._core as core

    # Others may have our cores for seconds on end: twice, far apart; the better one counts.
    early, late = pace(0.0, 0.05, "threads"), pace(0.9, 0.1, "threads")
    shared = [] if quick else [(threads.threads(budgets[5] / 2, early), early)]
    found = {"interpreter": sections.interpreter(budgets[0], paces["interpreter"])}
    found["call"], found["compile"] = sections.launches(budgets[1], paces["call"])
    found["cold"] = cold.cold(budgets[2], paces["cold"])
    weights, found["host"] = sections.host(budgets[3], paces["host"])
    touched, pages_share = pages.pages(budgets[4], paces["pages"])
    if touched is not None:
        found["pages"] = touched
    shared.append((threads.threads(budgets[5] / 2, late), late))
    if measured := [(section, pace) for section, pace in shared if section is not None]:
        found["threads"], paces["threads"] = max(measured, key=_gain)
        if pages_share is not None:
            found["threads"].weights["pages"] = pages_share
    on_card = _on_card(QUICK_GPU if quick else FULL_GPU, bar)
    bar.done()
    paces["compile"] = paces["call"]
    # All as if it had been measured at the same pace, the middle one.
    usual = statistics.median(pace.seconds() for pace in paces.values() if pace.kept)
    slower = {name: paces[name].seconds() / usual for name in found}
    found = {name: _at_pace(section, slower[name]) for name, section in found.items()}
    profile = json.loads(core.default_profile())
    today = datetime.date.today().isoformat()
    profile["machine"] = json.loads(core.machine(platform.python_version(), np.__version__, today))
    kind = "quickly " if quick else ""
    profile["name"] = f"{kind}measured on {profile['machine']['cpu']}, {today}"
    for name, section in found.items():
        profile[name] |= {k: _rounded(v) for k, v in section.weights.items()}
        profile["errors"][name] = {"median": _rounded(section.median), "p90": _rounded(section.p90)}
    profile["host"] = {
        k: v if k in HOST_SIZES else _scaled(v, 1 / slower["host"]) for k, v in weights.items()
    }
    profile["gpu"] = on_card and _scaled(on_card, 1.0)
    profile["pace"] = _rounded(usual / PACE_TRIPS * 1e9)
    files.write(out, profile)
    _tell(found, profile, out, time.perf_counter() - begun)
    if max(slower.values()) > UNSTEADY * min(slower.values()):
        told = ", ".join(f"{name} {factor:.2f}" for name, factor in slower.items())
        print(f"the machine's pace changed, for which this allows; times as slow as usual: {told}")
    if busy >= BUSY:
        print(
            f"about {busy:.1f} cores were busy with something else when this began: what threads "
            "add, and perhaps more, is told too low. Measure again on a quiet machine.",
            file=sys.stderr,
        )


def _gain(measured: tuple[Section, Pace]) -> float:
    """Gives the shares of a core that further threads add, summed over all kinds of loops."""
    return sum(measured[0].weights[bound] for bound in BOUNDS)


def _on_card(budget_s: float, bar: Progress) -> dict[str, Any] | None:
    """Measures the weights of the card that `--device gpu` uses, if there is one that
    runs loops.
    """
    import nestwise._core as core
    from nestwise.calibrate import gpu

    found = core.card()
    if found is None:
        return None
    card = gpu.Card(found.name, found.processors, found.resident, found.cache)
    return gpu.gpu(card, budget_s, lambda s: bar.show(s, "the graphics card"))


def _at_pace(section: Section, slower: float) -> Section:
    """Gives a section as a machine that is not this much slower would have had it."""
    weights = {k: v if k in SHARES else v / slower for k, v in section.weights.items()}
    return section._replace(weights=weights)


def _scaled(value: Any, factor: float) -> Any:
    """Multiplies all times in nested dictionaries and lists by a factor."""
    if isinstance(value, dict):
        return {k: _scaled(v, factor) for k, v in value.items()}
    if isinstance(value, list):
        return [_scaled(v, factor) for v in value]
    return _rounded(value * factor)


def _busy() -> float:
    """Measures how many cores other processes keep busy for LOOK_S seconds, where the
    system tells.
    """
    try:
        before = _busy_ticks()
        time.sleep(LOOK_S)
        return (_busy_ticks() - before) / os.sysconf("SC_CLK_TCK") / LOOK_S
    except (OSError, ValueError, IndexError):
        return 0.0


def _busy_ticks() -> int:
    """Gives the ticks that all cores together have not been idle, from proc(5)'s stat: user, nice,
    system, idle, iowait, irq, softirq, steal.
    """
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4]


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def _tell(found: dict[str, Any], profile: dict[str, Any], out: str, took_s: float) -> None:
    machine = profile["machine"]
    print(f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}")
    for name, section in found.items():
        shares = {k: v for k, v in section.weights.items() if name == "threads" and k in SHARES}
        sure = f"measured to {section.unsure:.1%}" if section.unsure else "measured once each"
        print(f"\n{name}: {len(section.weights)} weights from {section.probes} probes, {sure}")
        files.print_weights({k: v for k, v in section.weights.items() if k not in shares})
        for bound, share in shares.items():
            print(f"  {bound:<22}{share:>8.0%} of a core for each further thread")
        print(
            f"  held-back loops, {len(section.points)}: half are off by less than "
            f"{section.median:.0%}, nine of ten by less than {section.p90:.0%}"
        )
        for probe, measured, off in section.points:
            print(f"    {probe:<24} {seconds(measured):>10} {off:+8.0%}")
    if "threads" not in found:
        print("\nthreads: not measured, nothing runs on several; as in the default profile")
    if gpu := profile["gpu"]:
        print(f"\ngraphics card: {machine['card'] or 'its name is not told'}")
        files.print_weights(files.flat(gpu))
    print(f"\n{took_s:.1f} s; written to {out}")
