"""The arguments of probes, by the names of their parameters."""

from __future__ import annotations

import array
import inspect
from collections.abc import Callable
from typing import Any

# Bytes of a line of the caches, and of what malloc hands out.
LINE, MALLOC = 64, 16


# Elements whose order no core learns: a Zen 4 has learned by heart which way a jump goes 60,000
# times after twenty calls, 120,000 hardly after two hundred, and 250,000 never.
MANY = 120_000
COINS = 250_000
# Rows of a matrix whose halves are loops of many lengths.
SIDE = 120


class Box:
    """An object whose attributes loops read and write."""

    def __init__(self) -> None:
        self.value = 1.5
        self.other = 2.5


def values(n: int) -> dict[str, Any]:
    """Gives arguments for loops of `n` iterations, the same in every call."""
    import numpy as np

    random = np.random.default_rng(5)
    floats = random.random(n)
    index = random.integers(0, n, n)
    rows = max(n // 16, 3)
    given = {
        "n": n,
        "n8": 8,
        "k": 100_003,
        "k8": 2,
        "x": 1.25,
        "y": 0.75,
        "z": 0.5 + 0.25j,
        "w": 0.75 - 0.5j,
        "flag": True,
        "np_flag": np.bool_(True),
        "u": np.float64(1.25),
        "v": np.float64(0.75),
        "f": np.float32(1.25),
        "g": np.float32(0.75),
        "p": np.int64(1003),
        "q": np.int64(507),
        "p8": np.int64(2),
        "xs": floats.tolist(),
        "ys": random.random(n).tolist(),
        "zs": random.random(n).tolist(),
        "ks": random.integers(1000, 100_000, n).tolist(),
        "rows": random.random((rows, 16)).tolist(),
        "rows2": random.random((rows, 16)).tolist(),
        "a": floats,
        "a2": floats[:2].copy(),
        "b": random.random(n),
        "c": random.random(n),
        "f1": random.random(n).astype(np.float32),
        "idx": index,
        "u8": random.integers(0, 255, n).astype(np.uint8),
        "counts": np.zeros(16, np.int64),
        "m": random.random((rows, 16)),
        "m2": random.random((rows, 16)),
        "square": random.random((SIDE, SIDE)),
        "square2": random.random((SIDE, SIDE)),
        "t3": random.random((4, 8, 8)),
        "t4": random.random((4, 8, 8)),
        "text": "abcdefgh" * (n // 8 + 1),
        "raw": bytes(range(200)) * (n // 200 + 1),
        "buf": array.array("d", floats),
        "box": Box(),
    }
    return given


def arguments(function: Callable[..., Any], given: dict[str, Any]) -> tuple[Any, ...]:
    """Gives the arguments of a function, by the names of its parameters."""
    return tuple(given[name] for name in inspect.signature(function).parameters)


LISTS = ("xs", "ys", "zs", "ks", "js", "ms", "rows", "text", "idx", "jdx", "boxes")


def launch_values(n: int) -> dict[str, Any]:
    """Gives arguments of launches: lists of `n` elements, of which loops work on two at most."""
    given = values(n)
    given |= {
        "n1": 2,
        "x2": 1.5,
        "y2": 2.5,
        "x3": 3.5,
        "k": 3,
        "d": given["b"] + 1.0,
        "e": given["b"] + 2.0,
        "js": [*given["ks"]],
        "ms": [v if k % 2 else float(v) for k, v in enumerate(given["ks"])],
        "jdx": given["idx"] + 1,
        "boxes": [Box() for _ in range(n)],
    }
    given["f"] = given["b"] + 3.0
    return given


def compiled_values(n: int) -> dict[str, Any]:
    """Gives arguments of loops that are timed compiled: `n` elements, and arrays for results."""
    import numpy as np

    given = values(n) | streamed_values(n)
    random = np.random.default_rng(6)
    rows = max(n // 16, 16)
    given |= {
        "r8": 40,
        "g1": np.zeros(n, np.float32),
        "coins": random.random(COINS).astype(np.float32),
        "marks": np.zeros(COINS, np.float32),
        # Functions go different ways in different ranges, as in programs.
        "wide": random.uniform(-6.0, 6.0, MANY),
        "positive": np.exp(random.uniform(-4.0, 4.0, MANY)),
        "far": np.zeros(MANY),
        "jdx": random.integers(1, n + 1, n),
        "kdx": np.zeros(n, np.int64),
        "u1": random.integers(0, 256, n).astype(np.uint8),
        "table1": np.arange(256)[::-1].astype(np.uint8),
        "v1": np.zeros(n, np.uint8),
        "js": random.integers(1, 1000, n).tolist(),
        "out": [0.0] * n,
        "m": random.random((rows, 16)),
        "q": np.zeros((rows, 16)),
        "r": np.zeros(rows),
        "e": random.random((SIDE, SIDE)),
        "e2": random.random((SIDE, SIDE)),
        "z": 0.25 + 0.25j,
        "w": 0.25 - 0.25j,
    }
    return _placed(given)


def streamed_values(n: int) -> dict[str, Any]:
    """Gives arguments of loops that do nothing but go through arrays, of `n` elements each."""
    import numpy as np

    random = np.random.default_rng(7)
    rows, side = max(n // 16, 16), max(int(n**0.5), 16)
    given = {
        # As often as few elements need to take a while.
        "r8": max(300_000 // n, 1),
        "a": random.random(n),
        "b": random.random(n),
        "c": random.random(n),
        "o": np.zeros(n),
        "idx": random.integers(0, n, n),
        "m": random.random((rows, 16)),
        "q": np.zeros((rows, 16)),
        "s": random.random((side, side)),
        "s2": np.zeros((side, side)),
        "t": np.zeros(side),
        "x": 1.25,
    }
    return _placed(given)


def _placed(given: dict[str, Any]) -> dict[str, Any]:
    """Gives the arguments with arrays aligned as large ones are, wherever malloc has put them:
    prices assume that where vectors of one array begin cache lines, those of all others do.
    """
    import numpy as np

    def moved(a: np.ndarray) -> np.ndarray:
        room = np.empty(a.nbytes + 2 * LINE, np.uint8)
        at = -room.ctypes.data % LINE + MALLOC
        there = room[at : at + a.nbytes].view(a.dtype).reshape(a.shape)
        there[...] = a
        return there

    return {k: moved(v) if isinstance(v, np.ndarray) else v for k, v in given.items()}
