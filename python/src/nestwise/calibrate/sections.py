"""Measures the sections of a profile, each from its probes: their work, their times, and the
weights that fit both.
"""

from __future__ import annotations

import functools
import json
import os
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import nestwise._core as core
from nestwise import options
from nestwise.calibrate import data, measure
from nestwise.calibrate.measure import Pace, Probe, Rounds, Timing
from nestwise.importing import hook
from nestwise.native import extension
from nestwise.reporting.data import as_data

if TYPE_CHECKING:
    from nestwise._core import NestReport

HERE = os.path.dirname(os.path.abspath(__file__))
# Iterations of the loops that CPython is timed in.
TRIPS = 400
# Of a launch's: what it binds is longer than what its one iteration works on.
LIST_LENGTHS = (16, 200, 1000)
SURE = 0.01
TIERS = ("quick", "optimised")


class Section(NamedTuple):
    """The result of measuring a section."""

    weights: dict[str, float]  # nanoseconds
    median: float  # of the relative errors of held-back points
    p90: float
    points: list[tuple[str, float, float]]  # held-back: name, seconds measured, relative error
    probes: int
    unsure: float  # the largest standard error of a measurement, as a share of it


def plain(name: str) -> dict[str, Callable[..., Any]]:
    """Gives the functions of a module of probes as CPython has them."""
    return _functions(name, _source(name)[1])


@functools.cache
def handled(name: str) -> dict[str, Callable[..., Any]]:
    """Gives the functions of a module of probes with their loops handled by nestwise."""
    return anew(name)


def anew(name: str) -> dict[str, Callable[..., Any]]:
    """Gives the functions of a module of probes with their loops handled, by sites that no other
    functions have.
    """
    source, code = _source(name)
    path = os.path.join(HERE, name + ".py")
    return _functions(name, hook.code_for(code, path, source) or code)


def _source(name: str) -> tuple[bytes, types.CodeType]:
    path = os.path.join(HERE, name + ".py")
    with open(path, "rb") as file:
        source = file.read()
    return source, compile(source, path, "exec", dont_inherit=True)


def _functions(name: str, code: types.CodeType) -> dict[str, Callable[..., Any]]:
    module = types.ModuleType(f"nestwise.calibrate.{name}")
    exec(code, module.__dict__)
    functions = ((n, v) for n, v in vars(module).items() if isinstance(v, types.FunctionType))
    return {name: function for name, function in functions if not name.startswith("_")}


def configure(
    device: str,
    prices: bool,
    threads: int = 1,
    cooperative: bool | None = None,
    tier: str | None = None,
) -> None:
    """Sets the options of this process from now on. Kernels are not cached, so that the time to
    make them can be measured.
    """
    chosen = options.Options()
    chosen.device = device
    chosen.threads = threads
    chosen.cache = False
    chosen.prices = prices
    chosen.cooperative = cooperative
    chosen.tier = tier
    chosen.profile = options.DEFAULT
    extension.configure(chosen)


def counted(
    function: Callable[..., Any], arguments: tuple[Any, ...], key: str
) -> tuple[dict[str, float], NestReport | None]:
    """Gives the work of one call of a handled function, by nestwise's count, and the report's
    record of its first nest.
    """
    code = function.__code__
    lines = {line for _, _, line in code.co_lines() if line}
    before = _sums(lines, code.co_filename, key)
    function(*arguments)
    after = _sums(lines, code.co_filename, key)
    nests = _nests(lines, code.co_filename)
    work = {k: v - before.get(k, 0.0) for k, v in after.items()}
    return {k: v for k, v in work.items() if v}, nests[0] if nests else None


def threaded(function: Callable[..., Any]) -> int:
    """Gives the number of launches of a handled function on several threads so far."""
    return sum(nest.threaded_launches for nest in _own_nests(function))


def launches_of(function: Callable[..., Any]) -> int:
    """Gives the number of launches of a handled function so far."""
    return sum(nest.launches for nest in _own_nests(function))


def _own_nests(function: Callable[..., Any]) -> list[NestReport]:
    code = function.__code__
    lines = {line for _, _, line in code.co_lines() if line}
    return _nests(lines, code.co_filename)


def _nests(lines: set[int], path: str) -> list[NestReport]:
    extension.require()
    return core.report(path, lines)


def _sums(lines: set[int], path: str, key: str) -> dict[str, float]:
    sums: dict[str, float] = {}
    for nest in _nests(lines, path):
        done = nest.work if key == "work" else nest.launch_work
        for kind, times in done.items():
            sums[kind] = sums.get(kind, 0.0) + times
    return sums


def fitted(
    name: str,
    fitting: list[str],
    held: list[str],
    counts: dict[str, dict[str, Any]],
    times: dict[str, Timing],
) -> Section:
    """Makes a section: its weights are fitted to some probes, and judged by those that were held
    back.
    """
    extension.require()

    def rows(names: list[str]) -> list[dict[str, Any]]:
        return [counts[n] for n in names]

    def seconds(names: list[str]) -> list[float]:
        return [times[n].seconds for n in names]

    weights = core.fit(name, rows(fitting), seconds(fitting)).weights
    errors = core.errors(name, weights, rows(held), seconds(held))
    points = [(n, times[n].seconds, e) for n, e in zip(held, errors.residuals, strict=True)]
    unsure = max(times[n].error for n in (*fitting, *held))
    return Section(weights, errors.median, errors.p90, points, len(fitting), unsure)


def interpreter(budget_s: float, pace: Pace) -> Section:
    """Measures the weights of CPython."""
    given = data.values(TRIPS)
    configure("auto", prices=True)
    counts: dict[str, dict[str, Any]] = {}
    probes: list[Probe] = []
    fitting: list[str] = []
    held: list[str] = []
    for module in ("probes", "elements", "mixed"):
        functions = plain(module)
        for name, function in handled(module).items():
            arguments = data.arguments(function, given)
            work, _ = counted(function, arguments, "work")
            if work:
                counts[name] = work
                (held if module == "mixed" else fitting).append(name)
                probes.append(Probe(name, functions[name], arguments))
    times = measure.timings(probes, budget_s, SURE, core.summary, pace)
    return fitted("interpreter", fitting, held, counts, times)


def launches(budget_s: float, pace: Pace) -> tuple[Section, Section]:
    """Measures the weights of launches, and of making kernels."""
    configure("serial", prices=True)
    counts: dict[str, dict[str, Any]] = {}
    probes: list[Probe] = []
    nodes: dict[str, dict[str, Any]] = {}
    making: dict[str, Timing] = {}
    for name, function in handled("launches").items():
        for length in LIST_LENGTHS if _has_lists(function) else LIST_LENGTHS[:1]:
            arguments = data.arguments(function, data.launch_values(length))
            key = f"{name} {length}"
            before = pace.take()
            work, nest = counted(function, arguments, "launch_work")
            if not (work and nest) or nest.fallbacks:
                continue
            counts[key] = work
            probes.append(Probe(key, function, arguments))
            _note_making(name, nest, nodes, making, (before + pace.take()) / 2)
    for tier in TIERS:
        configure("serial", prices=True, tier=tier)
        _make_more(tier, nodes, making, pace)
    configure("serial", prices=False)
    times = measure.timings(probes, budget_s, SURE, core.summary, pace)
    held = [p.name for p in probes if p.name.startswith("held_")]
    fitting = [p.name for p in probes if p.name not in held]
    call = fitted("call", fitting, held, counts, times)
    making = {n: t._replace(seconds=t.seconds * pace.seconds()) for n, t in making.items()}
    every = sorted(nodes, key=lambda n: sorted(nodes[n].items()))
    compile_ = fitted("compile", every[::2], every[1::2], nodes, making)
    return call, compile_


# Elements that loops are timed compiled with: such as fit the first cache, in four arrays, too.
COMPILED = 600
# Those that do nothing but go through memory, also with such as only the other caches hold, and
# none of them.
STREAMS = (
    "scale add sum_of_ints gather neighbours slopes rows_first columns_first "
    "columns_of_square held_streamed"
).split()
# Bytes of three arrays that no cache should hold, at most: each has to be filled first.
MOST_BYTES = 128e6
# Calls before those that are timed.
WARMED = 3
LEAST_S = 4e-7


def host(budget_s: float, pace: Pace) -> tuple[dict[str, Any], Section]:
    """Measures the weights of compiled code: gives them as a profile has them, and the section for
    the report.
    """
    extension.require()
    configure("serial", prices=True)
    executed: dict[str, str] = {}
    probes: list[Probe] = []
    functions = handled("compiled")
    for n in (COMPILED, *_beyond(json.loads(core.default_profile())["host"]["caches"])):
        given = data.compiled_values(n) if n == COMPILED else data.streamed_values(n)
        for name, function in functions.items():
            if n != COMPILED and name not in STREAMS:
                continue
            arguments = data.arguments(function, given)
            function(*arguments)
            _, nest = counted(function, arguments, "launch_work")
            if nest and nest.runs and not (nest.fallbacks or nest.guessed_loops):
                executed[f"{name} {n}"] = nest.runs
                probes.append(Probe(f"{name} {n}", function, arguments))
    configure("serial", prices=False)
    times = _kernel_times(probes, budget_s, core.summary, pace)
    known = [p.name for p in probes if times[p.name].seconds > LEAST_S]
    held = [name for name in known if name.startswith("held_")]
    fitting = [name for name in known if not name.startswith("held_")]

    def seconds(names: list[str]) -> list[float]:
        return [times[n].seconds for n in names]

    def shapes(names: list[str]) -> list[str]:
        return [executed[n] for n in names]

    fit = core.fit_host(shapes(fitting), seconds(fitting), shapes(held), seconds(held))
    errors = fit.errors
    points = [(n, times[n].seconds, e) for n, e in zip(held, errors.residuals, strict=True)]
    unsure = max(times[n].error for n in known)
    weights = json.loads(fit.weights)
    flat = {f"{k}.{n}": v for k in ("scalar", "vector", "latency") for n, v in weights[k].items()}
    flat |= {k: weights[k] for k in ("issue", "unsure", "entry")} | weights["functions"]
    return weights, Section(flat, errors.median, errors.p90, points, len(fitting), unsure)


def _beyond(caches: list[float]) -> list[int]:
    """Gives numbers of elements: three arrays of this size fill half of the second cache, are
    between the second and the third, and do not fit the third.
    """
    _, second, third = caches
    for_all = (second / 2, (second * third) ** 0.5, min(2 * third, MOST_BYTES))
    return [int(size / 3 / 8) for size in for_all]


def _kernel_times(
    probes: list[Probe], budget_s: float, summary: Callable[..., Any], pace: Pace
) -> dict[str, Timing]:
    """Times one kernel run of each probe, in seconds, as the report has it."""
    samples: dict[str, list[float]] = {p.name: [] for p in probes}
    calls = {p.name: _kernel_calls(p) for p in probes}
    rounds = Rounds(budget_s, pace)
    for _ in rounds:
        for probe in probes:
            samples[probe.name].append(kernel_sample(probe, calls[probe.name]))
    return measure.summed(samples, rounds, summary)


def _kernel_calls(probe: Probe) -> int:
    took = min(kernel_sample(probe, 1) for _ in range(3))
    return min(max(int(measure.SAMPLE_S / max(took, 1e-7)), 1), 50)


def kernel_sample(probe: Probe, calls: int) -> float:
    """Gives the seconds of one kernel run, on average over this number of calls."""
    function, arguments = probe.function, probe.arguments
    # Other probes have emptied the caches, of which some keep only what was used more than once.
    for _ in range(WARMED):
        function(*arguments)
    seconds, launches = _measured(function)
    for _ in range(calls):
        function(*arguments)
    after, launched = _measured(function)
    return max(after - seconds, 1e-9) / max(launched - launches, 1)


def _measured(function: Callable[..., Any]) -> tuple[float, int]:
    nests = _own_nests(function)
    return sum(n.measured_s for n in nests), sum(n.launches for n in nests)


def _make_more(
    tier: str, nodes: dict[str, dict[str, Any]], making: dict[str, Timing], pace: Pace
) -> None:
    """Makes kernels of loops as programs have them, which are larger."""
    given = data.values(LIST_LENGTHS[0] * 16)
    for name, function in anew("mixed").items():
        before = pace.take()
        _, nest = counted(function, data.arguments(function, given), "launch_work")
        _note_making(f"{name}, {tier}", nest, nodes, making, (before + pace.take()) / 2)


def _note_making(
    name: str,
    nest: NestReport | None,
    nodes: dict[str, dict[str, Any]],
    making: dict[str, Timing],
    pace: float,
) -> None:
    """Notes the time to make a kernel, which is made once, as a multiple of the pace
    loop's time.
    """
    if not nest or not nest.made or name in nodes:
        return
    code, count = nest.made[-1], as_data(nest.nodes)
    if code.tier == "quick":
        nodes[name] = {"quick_kernel": 1.0, "quick_node": sum(count.values())}
    else:
        nodes[name] = {"kernel": 1.0, **count}
    # The first code of all, from which the compiler is warm.
    if len(nodes) == 1:
        nodes[name]["first"] = 1.0
    making[name] = Timing(code.took_s / pace, 0.0, 1)


def _has_lists(function: Callable[..., Any]) -> bool:
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return any(n in data.LISTS for n in names)
