"""`nestwise verify`: CPython does every native run of a nest over again, and the two are compared.

A `Check` remembers what the nest could change before it runs: the memory of the arrays that it
binds (of the arrays that own it, where those are views), the items of lists, attributes and module
names that it assigns, the states of random number generators. After the native run it remembers
the same once more, together with the values that the nest leaves in names, and puts everything
back as it was. CPython then runs the same iterations on the objects themselves; the program goes on
from what it did. Compared are bits, types, which exceptions and warnings there were, and how the
loop was left.
"""

from __future__ import annotations

import os
import sys

from nestwise import options
from nestwise.verifying.remembered import Remembered, shown
from nestwise.verifying.warned import Watch

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nestwise._core import NativeRun, NestCall

# How one nest's differences may fill the screen.
SHOWN_RUNS = 5
SHOWN_PLACES = 5
_OPTIMIZED = 1  # of a code object's flags: a function's, whose names are no dictionary's
# Exceptions that come from outside of a loop, whoever runs it.
FROM_OUTSIDE = (KeyboardInterrupt, SystemExit, MemoryError, RecursionError)


class Tally:
    """The outcome of the comparisons of one nest."""

    def __init__(self) -> None:
        self.compared = 0
        self.differ = 0


# By file and line of the nest.
tallies: dict[tuple[str, int], Tally] = {}


class Check:
    """The comparison of one run of one nest. The native part calls `Check(...)`, then `ran`, then
    `concluded`.

    `captured`: labels and objects that the nest bound; `attributes`: labels, objects and names of
    attributes that it assigns; `names`: global names that it assigns; `modules`: the globals of the
    site and of functions that it calls; `local`: the names that it always, and perhaps, assigns.
    """

    def __init__(
        self,
        about: NestCall,
        captured: list[tuple[str, Any]],
        attributes: list[tuple[str, Any, str]],
        names: list[str],
        modules: list[dict[str, Any]],
        local: tuple[list[str], list[str]],
    ) -> None:
        self.file, self.line, self.call = about.file, about.line, about.call
        self.old = _locals(sys._getframe(1), local)
        self.state = Remembered(captured, attributes, names, modules[0], self.old.values())
        self.watch = Watch(modules)
        self.always, self.perhaps = local
        self.boundary: Any = None
        self.ranges: list[tuple[str, str]] = []

    def ran(self, run: NativeRun, values: dict[str, Any], value: Any) -> bool:
        """Remembers what the native run left behind, and puts everything back. `values` is what it
        leaves in names, `value` what it returns.

        Gives True for a run that was undone: CPython is to run an iteration, and to come back.
        Where a guard fails, elements that the iteration writes anew in any case are not rolled
        back: they hold what CPython will write.
        """
        try:
            self.how, self.device, self.schedule = run.how, run.device, run.schedule
            self.trips = run.iterations
            self.values = values
            self.value = value
            self.native = self.state.take()
            if self.how == "undone":
                before = self.state.before
                changed = any(self.state.differences(self.native, before))
                self.boundary = before if changed else None
                if not changed:
                    self._count([])
                return changed
            self.state.put_back()
            self.watch.begin()
            return False
        except BaseException as error:
            # The run has happened and was not rolled back: there is nothing to go on from.
            what = f"{type(error).__name__}: {error}"
            print(f"nestwise: verify cannot go on: {what}", file=sys.stderr, flush=True)
            os._exit(3)

    def runs_over(self, iterable: Any, taken: tuple[int, int, int]) -> None:
        """Compares the loop's iterable with the start, stop and step that native code
        took it for.
        """
        if type(iterable) is range and iterable != range(*taken):
            self.ranges = [("the range", shown(range(*taken), iterable))]

    def concluded(self, exit: str, what: Any) -> bool:
        """Compares when CPython did the same: `exit` says how its part ended, `what` it raised or
        returned.

        Gives True where CPython is to run one more iteration, and to come back, as in `ran`.
        """
        frame = sys._getframe(1)
        warnings = self.watch.end()
        if isinstance(what, FROM_OUTSIDE) and exit == "raised":
            return False
        if self.boundary is not None:
            self._count(list(self.state.differences(self.native, self.boundary, self.state.take())))
            return False
        found = self.ranges + self._exits(exit, what, frame.f_lineno, warnings)
        if not found:
            found = list(self._names(_locals(frame, (self.always, self.perhaps))))
            if exit == "returned" and not self.state.same(self.value, what):
                found.append(("the value returned", shown(self.value, what)))
            now = self.state.take()
            elements = list(self.state.differences(self.native, now))
            if self.how == "stopped" and elements and not found:
                self.boundary = now
                return True
            found += elements
        self._count(found)
        return False

    def _exits(self, exit: str, what: Any, line: int, warnings: list[str]) -> list[tuple[str, str]]:
        """Gives the differences between how the two runs ended."""
        expected = {"finished": "completed", "stopped": "completed", "broke": "left"}
        if exit == expected.get(self.how, self.how):
            missing = "CPython gives it, compiled code does not"
            return [("a warning", f"{missing}: {w}") for w in warnings]
        done = {
            "finished": "ran to the loop's end",
            "stopped": f"ran {self.trips} iterations without a guard failure",
            "broke": "left the loop by break",
            "returned": "returned",
        }[self.how]
        if exit == "raised":
            did = f"raises {type(what).__name__}: {what} (line {line})"
        else:
            did = {"completed": "does not leave the loop", "left": "leaves the loop early"}.get(
                exit, "returns"
            )
        return [("the end", f"compiled code {done}, CPython {did}")]

    def _names(self, now_held: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Yields the local names that hold something else after the native run."""
        nothing = object()
        for name in (*self.always, *self.perhaps):
            old = self.old.get(name, nothing)
            # What the nest left alone keeps the value it had.
            compiled = self.values.get(name, old)
            now = now_held.get(name, nothing)
            if compiled is nothing or now is nothing:
                if compiled is not now:
                    gone = "compiled code" if compiled is nothing else "CPython"
                    yield name, f"{gone} leaves it unbound"
            elif not self.state.same(compiled, now):
                yield name, shown(compiled, now)

    def _count(self, found: list[tuple[str, str]]) -> None:
        tally = tallies.setdefault((self.file, self.line), Tally())
        tally.compared += 1
        if not found:
            return
        tally.differ += 1
        if tally.differ > SHOWN_RUNS:
            return
        lines = [
            f"nestwise: verify: {self.file}:{self.line}, call {self.call}: "
            "compiled code and CPython differ"
        ]
        lines += [f"    {label}: {text}" for label, text in found[:SHOWN_PLACES]]
        if len(found) > SHOWN_PLACES:
            lines.append(f"    and {len(found) - SHOWN_PLACES} more")
        schedule = f" ({self.schedule})" if self.schedule else ""
        lines.append(f"  it ran on {self.device}{schedule}, {self.trips} iterations; again by")
        lines.append(f"    {_again(self.file, self.line, self.call)}")
        if tally.differ == SHOWN_RUNS:
            lines.append("  further differences of this nest are only counted")
        print("\n".join(lines), file=sys.stderr, flush=True)


def _locals(frame: Any, names: tuple[list[str], list[str]]) -> dict[str, Any]:
    """Gives the values of local names."""
    held = frame.f_locals
    found = {n: held[n] for n in (*names[0], *names[1]) if n in held}
    # Before CPython 3.13 the frame keeps this dictionary, and with it what the program lets go of.
    ours = frame.f_code.co_flags & _OPTIMIZED and sys.getrefcount(held) <= 3
    if ours and sys.version_info < (3, 13):
        held.clear()
    return found


def _again(file: str, line: int, call: int) -> str:
    """Gives the command that compares this very run and no other."""
    import shlex

    chosen = options.current()
    words = ["nestwise", "verify", "--only", f"{os.path.relpath(file)}:{line}:{call}"]
    if chosen.device != "auto":
        words += ["--device", chosen.device]
    if chosen.threads:
        words += ["--threads", str(chosen.threads)]
    if chosen.fp != "strict":
        words += ["--fp", chosen.fp]
    return shlex.join([*words, *chosen.program])
