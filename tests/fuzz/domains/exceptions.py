"""Random loops that only an exception or a signal ends.

Every script runs as priced, and once more in a way that the seed picks.
"""

from __future__ import annotations

from differential import Treatment

from ..domain import Domain
from ..generator.exceptions import script
from ..watched import JUDGE

# Of 100 programs, how many at least are so.
LEAST = {
    "ran natively": 26,
    "natively as priced": 12,
    "ends by IndexError": 14,
    "ends by StopIteration": 1,
    "ends by ZeroDivisionError": 2,
    "ends by ValueError": 5,
    "ends by OverflowError": 2,
    "ends by KeyError": 1,
    "ends by Found": 4,
    "ends by AssertionError": 0.4,
    "ends by SystemExit": 0.4,
    "ends by TypeError": 0.3,
    "ends by an exception, after a native part": 8,
    "signal": 12,
    "stopped by a signal, after a native part": 7,
    "flag": 1.5,
    "ticks": 20,
    "goes on": 2,
    "goes on often": 2,
    "handled inside": 4,
    "parser": 4,
    "large": 15,
    "inner loops": 2.5,
    "draws": 3,
    "prints": 2,
    "rare prints": 3,
    "module level": 2,
    "closure": 1.5,
}


def rotation(seed: int) -> list[Treatment]:
    threads = (2, 5, 1)[seed // 4 % 3]
    others = [
        Treatment("serial", 1),
        Treatment("threads", threads),
        Treatment("planned", 2),
        Treatment("quick", 1),
        Treatment("switch", 1),
        Treatment("interpreter", 1),
    ]
    return [Treatment("auto", 2), others[seed % len(others)]]


DOMAIN = Domain(
    "exceptions",
    "loops that only an exception or a signal ends, with a watchdog",
    script,
    JUDGE,
    40,
    rotation,
    alone=True,
    least=LEAST,
)
