"""Measures all candidates of a program, interleaved: each in a process of its own, asked turn by
turn.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nestwise.options import profile_path
from nestwise.oracle.pace import TRIPS
from nestwise.oracle.programs import AROUND, Program, chosen_sizes, ladder

SERVE = Path(__file__).with_name("serve.py")
PACE = Path(__file__).with_name("pace.py")
LARGEST = 10**9
# Of each candidate, which take turns: where a process happens to find its memory, the same code may
# be a third slower than in another.
PROCESSES = 2
# Sizes begin where CPython takes so long, which is a few iterations; before, it is the call alone.
SHORTEST_S = 2e-6
# Bytes from which an array gets pages of its own, in glibc. It would raise that number when such an
# array is freed: a process that allocates again and again would have its arrays where no script has
# them that runs once, and loops on vectors take half as long or twice, by where arrays begin.
OWN_PAGES = 128 * 1024
# Free bytes from which glibc gives the end of its heap back, which would be asked for page by page
# in the next turn: by how a process happens to have filled its heap, in all turns or in none.
GIVEN_BACK = 1 << 30
# Sizes that are looked for beyond CPython end where all candidates together take so long, what they
# work on made anew each time.
LONGEST_SIZE_S = 0.8
# That is not asked of the first sizes, at which candidates compile what they need.
COMPILED_BY = 8
# At a program's largest size automatic runs have so long, before any size is measured: a card's
# context has to have paid for itself.
WARMED_S = 1.0
# Cold runs: so many calls in a new process with an empty cache, so many times.
COLD_CALLS, COLD_ROUNDS = 5, 3
# Compiling takes less: CPython may be the best of cold runs if all its calls take no longer.
COMPILED_S = 0.5


class Effort(NamedTuple):
    """The effort that measuring a size may take, in seconds."""

    # The ladder of sizes ends where CPython takes this long, or compiled code a third of it.
    longest_s: float
    # It goes on without those that take longer, until nothing takes less than a third.
    beyond: bool
    # A candidate so much slower than the best is not measured again.
    hopeless: float
    # A size is measured until each candidate has run so long, or so often.
    enough_s: float
    most_turns: int
    least_turns: int
    # Each runs for up to so long before it is timed.
    warm_s: float
    # Before that, automatic runs have so long, or so many calls, to compile what they want to.
    settled_s: float
    settled_turns: int
    # Automatic runs that learn are measured, too.
    learning: bool
    # Sizes around each crossover, as of `AROUND`.
    around: tuple[float, ...]


THOROUGH = Effort(2.0, False, 20.0, 0.15, 48, 12, 0.03, 0.1, 2000, True, AROUND)
# Of random programs there are many.
OF_MANY = THOROUGH._replace(longest_s=0.3, most_turns=24, warm_s=0.015)
# A machine that is there for minutes: about a second for a size.
BRIEF = Effort(0.1, True, 4.0, 0.02, 16, 8, 0.004, 0.03, 60, False, (0.55, 1.25, 2.5))


class Candidate(NamedTuple):
    """A way to run a program's nests; `chosen` is the automatic one by prices alone, `learned` the
    same with prices corrected by times measured on the way.
    """

    name: str
    options: tuple[str, ...]
    settings: tuple[tuple[str, str], ...] = ()


CHOSEN, LEARNED, INTERPRETER = "chosen", "learned", "interpreter"
OURS = (
    Candidate(CHOSEN, ("--device", "auto"), (("NESTWISE_LEARNING", "0"),)),
    Candidate(LEARNED, ("--device", "auto")),
)


ON_CARD = Candidate("gpu", ("--device", "gpu"))
# Tells what is predicted, call by call.
PRICES = Candidate("prices", ("--device", "auto"), (("NESTWISE_PRICES", "1"),))
# Tells how long a script is outside its nests.
CLOCKED = Candidate("clocked", (), (("NESTWISE_CLOCKED", "1"),))
# It is asked so often at most, as long as turns are no longer than that: then nothing else counts.
CLOCKED_TURNS, CLOCKED_S = 12, 0.05


def candidates(threads: Iterable[int], schedules: int = 0) -> list[Candidate]:
    """Gives every way to run a program; for compiled ones also this many legal schedules, one by
    one.
    """
    alone = [
        Candidate(INTERPRETER, ("--device", "interpreter")),
        Candidate("serial", ("--device", "serial")),
    ]
    several = [
        Candidate(f"threads {n}", ("--device", "threads", "--threads", str(n))) for n in threads
    ]
    forced = [
        Candidate(f"{way.name} schedule {k}", way.options, (("NESTWISE_SCHEDULE", f"nth{k}"),))
        for way in (alone[1], *several)
        for k in range(schedules)
    ]
    return [*alone, *several, *forced]


class Failed(RuntimeError):
    """A process that did not answer, or answered that it could not."""


class Server:
    """The process of one candidate."""

    def __init__(
        self, program: Program, candidate: Candidate, options: Iterable[str], cache: Path
    ) -> None:
        self.name = candidate.name
        environment = dict(os.environ, NESTWISE_CACHE_DIR=str(cache), **dict(candidate.settings))
        environment.setdefault("MALLOC_MMAP_THRESHOLD_", str(OWN_PAGES))
        environment.setdefault("MALLOC_TRIM_THRESHOLD_", str(GIVEN_BACK))
        # With a cache of its own it would not find the profile that runs find.
        found = profile_path()
        if found is not None and os.path.exists(found):
            environment.setdefault("NESTWISE_PROFILE", found)
        words = [sys.executable, "-m", "nestwise", "run", *candidate.options, *options]
        if candidate.name in (INTERPRETER, CLOCKED.name):
            # CPython itself: even a loop that stays there is asked about each time it is entered.
            words = [sys.executable]
        self.process = subprocess.Popen(
            [*words, str(SERVE), str(program.script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.questions, self.answers = process.stdin, process.stdout
        self.complaints = process.stderr

    def ask(
        self, arguments: list[str], turns: int, warm: float = 0.0, made: bool = False
    ) -> dict[str, Any]:
        """Has the process run `turns` times, after uncounted turns that take up to `warm` seconds.
        `made`: it is to tell of the code that it has made.
        """
        question = {"arguments": arguments, "turns": turns, "warm": warm, "made": made}
        answer: dict[str, Any]
        try:
            self.questions.write(json.dumps(question) + "\n")
            self.questions.flush()
            answer = json.loads(self.answers.readline() or "{}")
        except OSError:
            answer = {}
        if "seconds" not in answer:
            why = answer.get("error") or self.complaints.read().strip().splitlines()[-1:]
            raise Failed(f"{self.name}: {why}")
        return answer

    def close(self) -> None:
        """Ends the process."""
        self.process.kill()
        for pipe in (self.questions, self.answers, self.complaints):
            # What nobody read of a process that ended before.
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        self.process.wait()


class Experiment(NamedTuple):
    """One program at one size."""

    program: str
    size: int
    samples: dict[str, list[float]]  # seconds by candidate; those of OURS among them
    predicted: dict[str, float]  # seconds by device, those outside nests among them
    crossovers: list[float]  # sizes
    cold: dict[str, list[float]] = {}  # noqa: RUF012  # as `samples`, of COLD_CALLS from nothing
    group: str = ""  # of programs that nothing was tuned to
    pace: float = 1.0  # time that CPython took for a fixed loop, over what the profile says
    rough: Sequence[str] = ()  # candidates whose samples are of a size nearby
    outside: float = 0.0  # median of the seconds that CPython takes outside nests
    # Code that was made in cold runs: its tier, seconds predicted, seconds that it took.
    made: Sequence[tuple[str, float, float]] = ()


class Bench:
    """The servers of one program: some of each candidate, others that tell prices, what is outside
    of nests, and the pace.
    """

    def __init__(
        self,
        program: Program,
        ways: list[Candidate],
        options: list[str],
        cache: Path,
        effort: Effort,
    ) -> None:
        self.program, self.effort = program, effort

        def start(way: Candidate) -> Server:
            return Server(program, way, options, cache)

        self.ours = [way.name for way in OURS if effort.learning or way.name != LEARNED]
        every = [*ways, *(way for way in OURS if way.name in self.ours)]
        self.servers = {w.name: [start(w) for _ in range(PROCESSES)] for w in every}
        # Where threads are asked for, more loops are shared with them than where they are chosen.
        self.tellers = {"": start(PRICES)}
        shared = [way.options for way in ways if way.options[1] == "threads"]
        if shared:
            self.tellers["threads"] = start(PRICES._replace(options=shared[-1]))
        self.clocked = start(CLOCKED)
        clock, self.usual_pace = pace(options, cache)
        self.clock = Server(clock, candidates(())[0], (), cache)

    def close(self) -> None:
        """Ends the worker processes."""
        for server in (*self.every(), *self.tellers.values(), self.clocked, self.clock):
            server.close()

    def every(self) -> list[Server]:
        """All servers."""
        return [server for several in self.servers.values() for server in several]

    def quick(self) -> dict[int, dict[str, float]]:
        """Measures times of every candidate along the ladder of sizes, with few turns each."""
        found: dict[int, dict[str, float]] = {}
        longest = self.effort.longest_s
        ways = [name for name in self.servers if name not in (CHOSEN, LEARNED)]
        left: dict[str, float] = {}
        for size in ladder(LARGEST):
            arguments = self.program.arguments(size)
            begun = time.perf_counter()
            try:
                first = {way: self.servers[way][0] for way in ways}
                answers = {w: s.ask(arguments, 3, self.effort.warm_s) for w, s in first.items()}
            except Failed:
                if found:
                    raise
                continue  # too small for the program
            times = {way: min(answer["seconds"]) for way, answer in answers.items()}
            if times.get(INTERPRETER, SHORTEST_S) < SHORTEST_S:
                continue
            # About, of those that are not asked any more: they take as much longer as the slowest.
            before = [found[max(found)][way] for way in ways] if found else [math.inf]
            growth = max(max(times.values()) / max(before), 1.0)
            left = {way: seconds * growth for way, seconds in left.items()}
            found[size] = times | left
            slow = {w: t for w, t in times.items() if t > longest}
            if min(times.values()) > longest / 3:
                break
            if self.effort.beyond:
                left |= slow
                ways = [w for w in ways if w not in slow]
                if len(found) > COMPILED_BY and time.perf_counter() - begun > LONGEST_SIZE_S:
                    break
                continue
            if INTERPRETER in slow:
                ways.remove(INTERPRETER)
            if slow and INTERPRETER not in ways and len(found) > 3:
                break
        return found

    def warm(self, size: int) -> None:
        """Lets every process compile what it needs, at a size where it surely does: all at once but
        the automatic ones, which may learn from what they measure.
        """
        arguments = self.program.arguments(size)
        every = (*self.every(), *self.tellers.values())
        forced = [s for s in every if s.name not in (INTERPRETER, CHOSEN, LEARNED)]
        with concurrent.futures.ThreadPoolExecutor(len(forced)) as pool:
            list(pool.map(lambda server: server.ask(arguments, 1), forced))
        for server in self.automatic():
            self.settle(server, arguments, WARMED_S)

    def automatic(self) -> list[Server]:
        """The servers that choose by themselves."""
        return [server for name in self.ours for server in self.servers[name]]

    def settle(self, server: Server, arguments: list[str], settled_s: float) -> None:
        """Lets an automatic way compile, which it does once enough was lost without."""
        spent, turns = 0.0, 0
        while spent < settled_s and turns < self.effort.settled_turns:
            seconds = server.ask(arguments, 20 if turns else 1)["seconds"]
            spent, turns = spent + sum(seconds), turns + len(seconds)

    def first(self, arguments: list[str], ways: Iterable[str]) -> dict[str, float]:
        """Measures the seconds of a turn of each way; of ways that may compile in their first turn,
        those of the next.
        """
        turns = {way: 1 if way == INTERPRETER else 2 for way in ways}
        return {w: self.servers[w][0].ask(arguments, n)["seconds"][-1] for w, n in turns.items()}

    def same(self, arguments: list[str], ways: Iterable[str]) -> None:
        """Has every process run once; raises Failed if results differ."""
        servers = [server for way in ways for server in self.servers[way]]
        results = [(server.name, server.ask(arguments, 1)["checksum"]) for server in servers]
        if len({checksum for _, checksum in results}) > 1:
            raise Failed(f"{' '.join(arguments)}: the results differ: {results}")

    def measure(
        self, size: int, near: dict[str, float] | None, crossovers: list[float]
    ) -> Experiment:
        """Measures all ways at a size. `near`: the times of each way at a size nearby."""
        arguments, effort = self.program.arguments(size), self.effort
        quick = near or self.first(arguments, self.servers)
        best = min(quick.values())
        hopeless = {w: t for w, t in quick.items() if t > effort.hopeless * best and t > 0.05}
        ways = [name for name in self.servers if name not in hopeless]
        samples: dict[str, list[float]] = {w: [] for w in ways}
        self.same(arguments, ways)
        for server in self.automatic():
            self.settle(server, arguments, effort.settled_s)
        spent = dict.fromkeys(ways, 0.0)
        paces: list[float] = []
        outside: list[float] = []
        turn = 0
        left = ways
        while left and turn < effort.most_turns:
            for k in range(len(left)):
                way = left[(k + turn) % len(left)]
                server = self.servers[way][turn % PROCESSES]
                seconds = server.ask(arguments, 1, effort.warm_s)["seconds"]
                samples[way] += seconds
                spent[way] += sum(seconds)
            if turn < CLOCKED_TURNS and quick.get(INTERPRETER, CLOCKED_S) < CLOCKED_S:
                outside += self.clocked.ask(arguments, 1, effort.warm_s)["outside"]
            paces += self.clock.ask([], 1, effort.warm_s / 10)["seconds"]
            turn += 1
            done = turn >= effort.least_turns
            left = [way for way in ways if not done or spent[way] < effort.enough_s]
        samples |= {way: [seconds] * effort.least_turns for way, seconds in hopeless.items()}
        besides = statistics.median(outside or [0.0])
        program = self.program
        return Experiment(
            program.name,
            size,
            samples,
            {device: besides + seconds for device, seconds in self.predicted(arguments).items()},
            crossovers,
            group=program.group,
            pace=statistics.median(paces) / self.usual_pace,
            rough=sorted(hopeless),
            outside=besides,
        )

    def predicted(self, arguments: list[str]) -> dict[str, float]:
        """Gives the predicted seconds by device."""
        told: dict[str, dict[str, float]] = {
            of: teller.ask(arguments, 1)["predicted"] for of, teller in self.tellers.items()
        }
        return told.pop("") | {of: those[of] for of, those in told.items() if of in those}


def pace(options: list[str], cache: Path) -> tuple[Program, float]:
    """Gives a loop that tells the machine's pace, and the seconds that CPython takes for it
    according to the profile.
    """
    # Where it lies it would be a module of our own, which is left alone.
    script = cache / PACE.name
    script.write_text(PACE.read_text())
    program = Program("pace", script, None)
    measured = _measured_pace(options)
    if measured:
        return program, measured * TRIPS * 1e-9
    teller = Server(program, PRICES, options, cache)
    try:
        return program, teller.ask([], 1)["predicted"]["interpreter"]
    finally:
        teller.close()


def _measured_pace(options: list[str]) -> float | None:
    """Gives the nanoseconds of a trip in the profile; what is wrong with the profile is told
    elsewhere.
    """
    named = options[options.index("--profile") + 1] if "--profile" in options else None
    try:
        profile: dict[str, Any] = json.loads(Path(named or profile_path() or "").read_text())
        return profile.get("pace")
    except (OSError, ValueError):
        return None


def experiments(
    program: Program,
    ways: list[Candidate],
    options: list[str],
    cache: Path,
    spread: int,
    crossovers_too: bool,
    sizes: list[int] | None,
    cold: bool,
    said: Callable[[str], None],
    effort: Effort = THOROUGH,
) -> Iterable[Experiment]:
    """Measures every size of a program, one after the other."""
    bench = Bench(program, ways, options, cache, effort)
    try:
        said("looking for sizes")
        if sizes is None:
            quick = bench.quick()
            sizes, crossovers = chosen_sizes(quick, spread, effort.around if crossovers_too else ())
        else:
            quick, crossovers = {}, []
        if not sizes:
            raise Failed("it runs at no size")
        bench.warm(max(sizes))
        for k, size in enumerate(sizes):
            said(f"size {size} ({k + 1} of {len(sizes)})")
            near = min(quick, key=lambda n: abs(n - size)) if quick else None
            found = bench.measure(size, None if near is None else quick.get(near), crossovers)
            if cold:
                said(f"size {size}, cold")
                cold_s, made = cold_times(program, ways, options, found)
                found = found._replace(cold=cold_s, made=made)
            yield found
    finally:
        bench.close()


def cold_times(
    program: Program, ways: list[Candidate], options: list[str], warm: Experiment
) -> tuple[dict[str, list[float]], list[tuple[str, float, float]]]:
    """Measures the seconds of a few calls with whatever has to be compiled for them, by candidate;
    and what was compiled, as in `Experiment.made`.
    """
    seconds = {way: min(samples) for way, samples in warm.samples.items()}
    most = max(THOROUGH.hopeless * min(seconds.values()), COMPILED_S / COLD_CALLS)
    every = [*(way for way in ways if seconds[way.name] < most), *OURS]
    found: dict[str, list[float]] = {way.name: [] for way in every}
    made: list[tuple[str, float, float]] = []
    for turn in range(COLD_ROUNDS):
        for k in range(len(every)):
            way = every[(k + turn) % len(every)]
            with tempfile.TemporaryDirectory() as empty:
                server = Server(program, way, options, Path(empty))
                try:
                    answer = server.ask(program.arguments(warm.size), COLD_CALLS, made=True)
                finally:
                    server.close()
            found[way.name].append(sum(answer["seconds"]))
            made += [tuple(code) for code in answer["made"]]
    return found, made
