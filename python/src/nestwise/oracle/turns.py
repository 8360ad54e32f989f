"""The work of a process of one candidate (`serve.py`): it runs a script's main() as often as it is
asked to.

The process is asked by a line of JSON on standard input, {"arguments": [...], "turns": N}. It
answers by a line on standard output with the seconds of each turn; what the last one printed as its
checksum; where NESTWISE_PRICES is set, what the nests of all turns were predicted to take; where
NESTWISE_CLOCKED is set, how long each turn was outside its nests; and where the question says
"made": true, what making code was predicted to take and took. What the script prints goes nowhere
else. The time of a script that prints `kernel_seconds X` is X; of other scripts all of main() is
timed. Where the question says "warm": S, uncounted turns go before the others, for up to S seconds:
while the process waited for the question, others had the caches and the branch predictors.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import random
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

# Enough to have the caches filled again.
WARM_TURNS = 12
# Before each turn so many pieces of memory of up to so many bytes are taken: small arrays are not
# to lie where they lay in the turns before, since some places are quicker than others.
PIECES, MOST_BYTES = 8, 2048
# Not the one that programs draw from.
_random = random.Random()


def _predictions() -> dict[str, float]:
    """Gives the predicted seconds by device, summed over every call that was priced so far, in a
    process that is to tell: asking uses the caches, and makes the turn after it up to 2 us slower.
    """
    if not os.environ.get("NESTWISE_PRICES"):
        return {}
    from nestwise.native import extension

    sums: dict[str, float] = {}
    if not extension.loaded():
        return sums
    import nestwise._core as core

    for nest in core.report():
        for device, seconds in nest.priced_s.items():
            sums[device] = sums.get(device, 0.0) + seconds
    return sums


def _made() -> list[tuple[str, float, float]]:
    """Gives the code that was made so far: its tier, the predicted seconds, and the seconds that it
    took.
    """
    from nestwise.native import extension

    if not extension.loaded():
        return []
    import nestwise._core as core

    codes = [code for nest in core.report() for code in nest.made]
    return [(code.tier, code.predicted_s, code.took_s) for code in codes]


def _turn(module: ModuleType, script: str, arguments: list[str]) -> tuple[float, str]:
    """Runs main() once; gives its seconds and its checksum."""
    sys.argv = [script, *arguments]
    _pieces = [bytes(_random.randrange(1, MOST_BYTES)) for _ in range(PIECES)]
    printed = io.StringIO()
    begun = time.perf_counter()
    with contextlib.redirect_stdout(printed):
        module.main()
    seconds = time.perf_counter() - begun
    words = dict(line.split(" ", 1) for line in printed.getvalue().splitlines() if " " in line)
    return float(words.get("kernel_seconds", seconds)), words.get("checksum", "")


class _Turn(NamedTuple):
    seconds: float
    checksum: str
    outside_s: float | None  # of a clocked script: outside its nests


class _Asked:
    """Answers questions, and knows how long the turns of the last one took."""

    def __init__(self, script: str) -> None:
        sys.path.insert(0, str(Path(script).resolve().parent))
        self.script, self.clock = script, None
        if os.environ.get("NESTWISE_CLOCKED"):
            from nestwise.oracle import clocked

            self.module, self.clock = clocked.load(Path(script))
        else:
            self.module = importlib.import_module(Path(script).stem)
        self.last: tuple[list[str], float] = ([], 0.0)
        # What is there now stays: collecting garbage is to be quick, and to leave the caches alone.
        gc.collect()
        gc.freeze()

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        # What earlier turns left behind is no part of these.
        gc.collect()
        arguments = question["arguments"]
        left, warmed = question.get("warm", 0.0), 0
        while self.last[0] == arguments and self.last[1] < left and warmed < WARM_TURNS:
            self.turn(arguments)
            left, warmed = left - self.last[1], warmed + 1
        before = _predictions()
        turns = [self.turn(arguments) for _ in range(question["turns"])]
        after = _predictions()
        made = {"made": _made()} if question.get("made") else {}
        return made | {
            "outside": [turn.outside_s for turn in turns],
            "seconds": [turn.seconds for turn in turns],
            "checksum": turns[-1].checksum if turns else "",
            "predicted": {d: after[d] - before.get(d, 0.0) for d in after},
        }

    def turn(self, arguments: list[str]) -> _Turn:
        begun, before = time.perf_counter(), self.clock.seconds if self.clock else 0.0
        seconds, checksum = _turn(self.module, self.script, arguments)
        self.last = arguments, time.perf_counter() - begun
        outside = seconds - (self.clock.seconds - before) if self.clock else None
        return _Turn(seconds, checksum, outside)


def main(script: str) -> None:
    """Answers questions of standard input, a line of JSON each, on standard output."""
    answers = os.fdopen(os.dup(1), "w")
    asked = _Asked(script)
    for line in sys.stdin:
        try:
            answer = asked.answer(json.loads(line))
        except (Exception, SystemExit) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
