"""A process of one candidate: runs a script's main() as often as it is asked to.

    nestwise run [options] serve.py script.py

Asked by a line of JSON on standard input, {"arguments": [...], "turns": N}; answers by one on
standard output with the seconds of each turn, what the last one printed as its checksum, and what
the nests of all turns were predicted to take. What the script prints goes nowhere else. A script
that prints `kernel_seconds X` is taken at its word; of others all of main() is timed.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import sys
import time
from pathlib import Path


def _predictions() -> dict[str, float]:
    """Seconds by device, summed over every call that was priced so far."""
    from nestwise import config

    core = config.loaded_core()
    sums: dict[str, float] = {}
    for nest in core.report() if core is not None else []:
        for device, seconds in nest["priced_s"].items():
            sums[device] = sums.get(device, 0.0) + seconds
    return sums


def _turn(module, script: str, arguments: list[str]) -> tuple[float, str]:
    """(seconds, checksum) of one run of main()."""
    sys.argv = [script, *arguments]
    printed = io.StringIO()
    gc.collect()
    begun = time.perf_counter()
    with contextlib.redirect_stdout(printed):
        module.main()
    seconds = time.perf_counter() - begun
    words = dict(line.split(" ", 1) for line in printed.getvalue().splitlines() if " " in line)
    return float(words.get("kernel_seconds", seconds)), words.get("checksum", "")


def _answer(module, script: str, question: dict) -> dict:
    before = _predictions()
    turns = [_turn(module, script, question["arguments"]) for _ in range(question["turns"])]
    after = _predictions()
    return {
        "seconds": [seconds for seconds, _ in turns],
        "checksum": turns[-1][1] if turns else "",
        "predicted": {d: after[d] - before.get(d, 0.0) for d in after},
    }


def main() -> None:
    script = sys.argv[1]
    sys.path.insert(0, str(Path(script).resolve().parent))
    answers = os.fdopen(os.dup(1), "w")
    module = importlib.import_module(Path(script).stem)
    for line in sys.stdin:
        try:
            answer = _answer(module, script, json.loads(line))
        except (Exception, SystemExit) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
