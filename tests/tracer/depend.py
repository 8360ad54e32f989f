"""From accesses of locations to dependences, and to what each loop carries.

An access happens at a **path**: for each loop around it, callers' loops first, three numbers: the
execution of the loop (never used again), the iteration, and the statement of the body at work. Two
accesses of one location are carried by the loop where their paths part in the iteration; where
they part in the statement, the dependence lies within an iteration; where they part in the
execution, no loop carries it.

Value-based dependences are Feautrier's (Dataflow analysis of array and scalar references, 1991):
a read depends on the last write before it. The memory-based ones are all the other pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .sites import Loop, Site

Path = tuple[int, ...]
FLOW, ANTI, OUTPUT = "flow", "anti", "output"


class Cell:
    """What is known of one location."""

    __slots__ = ("last_write", "reads", "seen", "candidates", "all_reads", "all_writes", "root")

    def __init__(self) -> None:
        self.last_write: tuple[Site, Path] | None = None
        # Reads since the last write.
        self.reads: list[tuple[Site, Path]] = []
        # The last access of each kind: (family of updates or None, is it a write).
        self.seen: dict[tuple[str | None, bool], Path] = {}
        self.candidates: dict[int, Candidate] = {}
        # Memory-based only: every access within the outermost loop's execution `root`.
        self.root = -1
        self.all_reads: dict[Site, dict[Path, None]] = {}
        self.all_writes: dict[Site, dict[Path, None]] = {}


@dataclass
class Steps:
    """Whether a site is passed equally often in every iteration of a loop's execution."""

    last: int
    count: int = 1
    each: int | None = None
    regular: bool = True

    def note(self, iteration: int) -> None:
        if iteration == self.last:
            self.count += 1
            return
        self.regular &= iteration == self.last + 1 and self.each in (None, self.count)
        self.last, self.count, self.each = iteration, 1, self.count

    def even(self, iterations: int) -> bool:
        return self.regular and self.last == iterations - 1 and self.each in (None, self.count)


@dataclass(eq=False)
class Candidate:
    """A location that one execution of a loop updates: perhaps a reduction or an induction."""

    family: str
    other_reads: bool = False
    other_writes: bool = False
    steps: dict[Site, Steps] = field(default_factory=dict)
    flows: set[tuple[Site, Site, int, int]] = field(default_factory=set)

    def note(self, site: Site, iteration: int) -> None:
        if site.update is None or site.update.family != self.family:
            self.mix(site.write)
        elif site.write:
            steps = self.steps.get(site)
            if steps is None:
                self.steps[site] = Steps(iteration, regular=iteration == 0)
            else:
                steps.note(iteration)

    def mix(self, write: bool) -> None:
        if write:
            self.other_writes = True
        else:
            self.other_reads = True


@dataclass(eq=False)
class Findings:
    """What all executions of one loop statement have shown."""

    loop: Loop
    executions: int = 0
    iterations: int = 0
    left_early: bool = False
    fed_by_generator: bool = False
    # (kind, source, sink, value-based, loops common to both) -> distances seen
    pairs: dict[tuple, set[tuple]] = field(default_factory=dict)
    # Value-based flow that stands in the way, with the statements it connects.
    serial: set[tuple[Site, Site, int, int]] = field(default_factory=set)
    reductions: dict[str, set[str]] = field(default_factory=dict)
    companions: set[str] = field(default_factory=set)
    inductions: set[str] = field(default_factory=set)
    overwritten: set[str] = field(default_factory=set)
    # Between statements of the body: (from, to) and the names of both ends.
    within: set[tuple[int, int]] = field(default_factory=set)
    orders: set[tuple[int, int, str, str]] = field(default_factory=set)
    # Statements of the body that write, and what: name, and whether it is a variable.
    writers: set[tuple[int, str, bool]] = field(default_factory=set)


@dataclass(eq=False)
class Execution:
    """One execution of a loop statement. Its coordinates are `start`, `start + 1`, ..."""

    number: int
    loop: Loop
    start: float | None
    step: int
    # The recorder's place outside, to return to.
    outside: tuple[Path, Path]
    iteration: int = -1
    open: bool = True
    candidates: list[tuple[Cell, Candidate]] = field(default_factory=list)


class Dependences:
    """Takes accesses as they happen, keeps what they show about each loop."""

    def __init__(self, loops: list[Loop], memory: bool, budget: int):
        self.findings = [Findings(loop) for loop in loops]
        self.executions: list[Execution] = []
        self.memory = memory
        # How many pairs of accesses are compared for each two sites, and how many were.
        self.budget = budget
        self.spent: dict[tuple[str, Site, Site], int] = {}
        # Names for which that was not enough.
        self.incomplete: set[str] = set()
        self.accesses = 0

    # Loops

    def begin(self, loop: Loop, start: float | None, step: int, outside: tuple) -> Execution:
        execution = Execution(len(self.executions), loop, start, step, outside)
        self.executions.append(execution)
        self.findings[loop.number].executions += 1
        return execution

    def end(self, execution: Execution, iterations: int, early: bool) -> None:
        """Only now is it known what touched the locations that this execution updates."""
        execution.open = False
        findings = self.findings[execution.loop.number]
        findings.iterations += iterations
        findings.left_early |= early
        for cell, candidate in execution.candidates:
            del cell.candidates[execution.number]
            if candidate.flows:
                _judge(findings, candidate, iterations)
        execution.candidates = []

    # Accesses

    def read(self, cell: Cell, site: Site, path: Path) -> None:
        self.accesses += 1
        self._touch(cell, site, path)
        written = cell.last_write
        if written is not None and written[1] is not path:
            self._depend(FLOW, written[0], written[1], site, path, True, cell)
        if self.memory:
            self._history(cell, path)
            self._against(FLOW, cell.all_writes, site, path, written and [written])
            cell.all_reads.setdefault(site, {})[path] = None
        reads = cell.reads
        if not reads or reads[-1][1] is not path or reads[-1][0] is not site:
            reads.append((site, path))

    def write(self, cell: Cell, site: Site, path: Path) -> None:
        self.accesses += 1
        self._touch(cell, site, path)
        for number, statement in zip(path[::3], path[2::3], strict=True):
            findings = self.findings[self.executions[number].loop.number]
            variable = site.scalar and "." not in site.name
            findings.writers.add((statement, site.name, variable))
        reads, written = cell.reads, cell.last_write
        for source, at in reads:
            if at is not path:
                self._depend(ANTI, source, at, site, path, True, cell)
        if written is not None and written[1] is not path:
            self._depend(OUTPUT, written[0], written[1], site, path, True, cell)
        if self.memory:
            self._history(cell, path)
            self._against(ANTI, cell.all_reads, site, path, reads)
            self._against(OUTPUT, cell.all_writes, site, path, written and [written])
            cell.all_writes.setdefault(site, {})[path] = None
        cell.reads = []
        cell.last_write = (site, path)

    def _touch(self, cell: Cell, site: Site, path: Path) -> None:
        """Keeps count of what else happens to a location that a loop updates."""
        update, candidates = site.update, cell.candidates
        if update is not None or candidates:
            for level in range(0, len(path), 3):
                number = path[level]
                candidate = candidates.get(number)
                if candidate is None:
                    if update is None:
                        continue
                    candidate = candidates[number] = Candidate(update.family)
                    self.executions[number].candidates.append((cell, candidate))
                    for (family, write), at in cell.seen.items():
                        if family != update.family and len(at) > level and at[level] == number:
                            candidate.mix(write)
                candidate.note(site, path[level + 1])
        cell.seen[site.mark] = path

    def _history(self, cell: Cell, path: Path) -> None:
        if cell.root != path[0]:
            cell.root = path[0]
            cell.all_reads.clear()
            cell.all_writes.clear()

    def _against(
        self,
        kind: str,
        history: dict[Site, dict[Path, None]],
        sink: Site,
        path: Path,
        direct: list[tuple[Site, Path]] | None,
    ) -> None:
        """Every pair that is not a direct one, while the budget for these two sites lasts."""
        known = set(direct or ())
        for source, paths in history.items():
            pair = (kind, source, sink)
            spent = self.spent.get(pair, 0)
            if spent + len(paths) > self.budget:
                self.incomplete.update((source.name, sink.name))
                continue
            self.spent[pair] = spent + len(paths)
            for at in paths:
                if at is not path and (source, at) not in known:
                    self._depend(kind, source, at, sink, path, False, None)

    # Dependences

    def _depend(
        self, kind: str, source: Site, p: Path, sink: Site, q: Path, value: bool, cell: Cell | None
    ) -> None:
        for level in range(0, min(len(p), len(q)), 3):
            if p[level] != q[level]:
                return
            if p[level + 1] != q[level + 1]:
                return self._carried(kind, source, p, sink, q, value, cell, level)
            if p[level + 2] != q[level + 2]:
                findings = self.findings[self.executions[p[level]].loop.number]
                ends = (p[level + 2], q[level + 2])
                if kind is not FLOW:
                    findings.orders.add((*ends, source.name, sink.name))
                elif value:
                    findings.within.add(ends)
                return

    def _carried(
        self,
        kind: str,
        source: Site,
        p: Path,
        sink: Site,
        q: Path,
        value: bool,
        cell: Cell | None,
        level: int,
    ) -> None:
        number = p[level]
        findings = self.findings[self.executions[number].loop.number]
        loops, distances = self._distances(p, q)
        seen = findings.pairs.setdefault((kind, source, sink, value, loops), set())
        seen.add(distances)
        if not value:
            return
        ends = (source, sink, p[level + 2], q[level + 2])
        if kind is not FLOW:
            findings.overwritten.update((source.name, sink.name))
            findings.orders.add((ends[2], ends[3], source.name, sink.name))
            return
        candidate = cell.candidates.get(number) if cell is not None else None
        if candidate is not None:
            candidate.flows.add(ends)
        else:
            findings.serial.add(ends)

    def _distances(self, p: Path, q: Path) -> tuple[tuple[int, ...], tuple]:
        """The loops common to both accesses, and how far apart they are in each.

        A loop over a range counts in steps of the range, so that loops with bounds of their own
        in each iteration around them can be compared; other loops count iterations.
        """
        loops, distances = [], []
        for level in range(0, min(len(p), len(q)), 3):
            one, two = self.executions[p[level]], self.executions[q[level]]
            if one.loop is not two.loop:
                break
            loops.append(one.loop.number)
            apart: float = q[level + 1] - p[level + 1]
            if one is not two and one.step == two.step:
                if one.start is not None and two.start is not None:
                    apart += (two.start - one.start) / one.step
            distances.append(int(apart) if apart == int(apart) else apart)
            if one is two and apart == 0 and p[level + 2] != q[level + 2]:
                break
        return tuple(loops), tuple(distances)


def _judge(findings: Findings, candidate: Candidate, iterations: int) -> None:
    """Flow through one updated location: a reduction, an induction, or neither."""
    source, sink, _, _ = next(iter(candidate.flows))
    updates = {site.update for flow in candidate.flows for site in flow[:2] if site.update}
    reducible = all(update.reducible for update in updates)
    if reducible and not candidate.other_reads and not candidate.other_writes:
        for update in updates:
            findings.reductions.setdefault(update.op, set()).update((source.name, sink.name))
            findings.companions |= update.companions
    elif not candidate.other_writes and _steady(findings.loop, candidate, iterations):
        findings.inductions.add(source.name)
    else:
        findings.serial |= candidate.flows


def _steady(loop: Loop, candidate: Candidate, iterations: int) -> bool:
    """Whether a scalar goes up by the same in every iteration."""
    if candidate.family not in ("sum", "append"):
        return False
    for site, steps in candidate.steps.items():
        step = site.update.step if site.update else None
        if step is None or not site.scalar or not steps.even(iterations):
            return False
        # The names of another function mean nothing here: it may be called with anything.
        if step and (site.scope != loop.scope or step & loop.stores):
            return False
    return True
