"""What each loop of a script may do, judged by an exhaustive trace under CPython.

    python tests/access_trace.py [--values] [--limit N] SCRIPT ARGUMENTS...

runs the script with every read and write in its loops recorded and prints, as JSON, each loop's
verdict and the dependences it carries. It knows nothing of any analysis of the text: what it says
is true of this run, whatever the script looks like. So it can refute a static analysis that calls a
loop parallel, and shows what one that calls it serial may have missed.

Only the script's own text is looked into: a function of another module reads what it is given, and
writes what it is found to have changed. Scripts that run loops in threads are refused.

A verdict is
    serial      a value flows from one iteration to a later one (`because`: flow), or the loop is a
                `while`, was left early (exit), or is fed by a generator of the script
    reduction   all that flows goes through updates by one associative operation (`op`)
    parallel    nothing flows; names in `private` need a place for each iteration
    unseen      the loop was not reached
Names whose values flow, reductions apart, are in `carried`. Variables that go up by the same in
every iteration are in `induction` and do not count.
A serial loop is `distributable` where some statements of its body could be a parallel loop alone.

Vectors run over the loops common to both accesses, the outermost first; loops over ranges count in
steps of the range. `depth` is 1 for the outermost loop of a function. A value-based dependence has
no write between its ends; --values looks for no others, which is all that verdicts need and much
cheaper. Without it all pairs of accesses are compared, up to a budget for each two places in the
text; `incomplete` has the names for which it did not suffice. `complete` is false where the script
was stopped at --limit.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import sys
import tokenize
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tracer.depend import Dependences
from tracer.record import OverLimit, Recorder
from tracer.rewrite import TRACE, rewrite
from tracer.verdict import describe

LIMIT = 20_000_000
BUDGET = 100_000


def trace_file(
    path: Path, arguments: Sequence[str] = (), *, memory: bool = True, limit: int = LIMIT
) -> dict[str, Any]:
    """Runs a script and says what its loops did; `stdout` is what it printed."""
    with tokenize.open(path) as file:
        text = file.read()
    return trace_text(text, str(path), arguments, memory=memory, limit=limit)


def trace_text(
    text: str,
    file: str = "<script>",
    arguments: Sequence[str] = (),
    *,
    memory: bool = True,
    limit: int = LIMIT,
) -> dict[str, Any]:
    """The same for a script's text."""
    tree, sites, loops = rewrite(ast.parse(text, file))
    code = compile(tree, file, "exec")
    found = Dependences(loops, memory, BUDGET)
    recorder = Recorder(sites, loops, found, limit)
    output = io.StringIO()
    complete = True
    with _as_main(file, arguments) as main, contextlib.redirect_stdout(output):
        recorder.script = vars(main)
        vars(main).update({TRACE: recorder, "__trace_frame_0__": {}})
        try:
            exec(code, vars(main))
        except OverLimit:
            complete = False
        except SystemExit as left:
            if left.code not in (None, 0):
                raise RuntimeError(f"{file} ended with {left.code}") from None
    if recorder.threaded:
        raise RuntimeError(f"{file} runs loops in threads, which cannot be traced")
    return {
        "file": file,
        "arguments": list(arguments),
        "accesses": found.accesses,
        "complete": complete,
        "incomplete": sorted(found.incomplete),
        "loops": describe(found),
        "stdout": output.getvalue(),
    }


@contextlib.contextmanager
def _as_main(file: str, arguments: Sequence[str]) -> Iterator[types.ModuleType]:
    """An empty `__main__`, as a script finds it."""
    main = types.ModuleType("__main__")
    main.__file__ = file
    before = sys.modules["__main__"], sys.argv, sys.path
    sys.modules["__main__"] = main
    sys.argv = [file, *arguments]
    sys.path = [str(Path(file).resolve().parent), *sys.path]
    try:
        yield main
    finally:
        sys.modules["__main__"], sys.argv, sys.path = before


def main() -> None:
    parser = argparse.ArgumentParser(description="What the loops of a script did, as JSON.")
    parser.add_argument("--values", action="store_true", help="value-based dependences only")
    parser.add_argument("--limit", type=int, default=LIMIT, help="accesses to give up after")
    parser.add_argument("script", type=Path)
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    found = trace_file(
        options.script, options.arguments, memory=not options.values, limit=options.limit
    )
    sys.stderr.write(found.pop("stdout"))
    json.dump(found, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
