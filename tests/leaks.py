"""Calls of small nests, many times over: memory and reference counts stay as they are.

    python tests/leaks.py [--calls 10000000] [WORD...]

What is compared, from one eighth of the calls to the next: the blocks that Python allocated, the
bytes that C code has, the pages of the process, and the references to arguments.
The device is that of NESTWISE_DEVICE.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import sys
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from statistics import median
from typing import Any

import nestwise
import numpy as np


@nestwise.jit
def axpy(a, b, n):
    s = 0.0
    for i in range(n):
        b[i] = a[i] * 2.0 + b[i]
        s += b[i]
    return s, i


@nestwise.jit
def over(xs):
    s = 0
    for x in xs:
        s += x
    return s


@nestwise.jit
def reverse(xs):
    for i in range(len(xs) // 2):
        xs[i], xs[-1 - i] = xs[-1 - i], xs[i]


@nestwise.jit
def scaled(xs, k):
    for i in range(len(xs)):
        xs[i] = xs[i] * k + 1000


@nestwise.jit
def appended(n):
    found = []
    for i in range(n):
        if i % 3:
            found.append(i * 1000)
    return found


@nestwise.jit
def beyond(a, n):
    s = 0.0
    for i in range(n):
        s += a[i]
    return s


@nestwise.jit
def search(a, x):
    for i in range(len(a)):
        if a[i] == x:
            return i, a[i]
    else:
        return None


@nestwise.jit
def halving(x):
    k = 0
    while x > 1:
        x //= 2
        k += 1
    return k


@nestwise.jit
def attribute(p, n):
    for i in range(n):
        p.total += p.step * i


@nestwise.jit
def applied(f, n):
    s = 0
    for i in range(n):
        s += f(i)
    return s


@nestwise.jit
def rebinding(xs):
    for i in range(len(xs)):
        xs[i] += 1
        xs = xs
    return xs


class Point:
    def __init__(self) -> None:
        self.total, self.step = 0.0, 1.5


def module_function(x: int) -> int:
    return x * 2


A, B, C = np.ones(40), np.zeros(40), np.arange(40)
INTS, MIXED = list(range(40)), [1, 2.5, 3] * 5
OBJECTS = np.array([Fraction(1, 2)] * 3, dtype=object)
POINT = Point()
KINDS = ("f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?", ">f8")


def native(k: int) -> None:
    axpy(A, B, 40)


def declined(k: int) -> None:
    axpy(A, B, 1)


def of_objects(k: int) -> None:
    over(OBJECTS)


def event(k: int) -> None:
    try:
        beyond(A, 41)
    except IndexError:
        pass


def late_event(k: int) -> None:
    over([1 << 61] * 9)


def new_sizes(k: int) -> None:
    axpy(A, B, 2 + k % 37)
    over(C[: k % 40])


def new_shapes(k: int) -> None:
    n = 1 + k % 701
    axpy(np.ones(n), np.ones(n), n)


def new_types(k: int) -> None:
    over(np.ones(5, KINDS[k % 12]))
    axpy(np.ones(5, KINDS[k // 12 % 12]), np.ones(5, KINDS[k % 11]), 5)


def lists(k: int) -> None:
    over(INTS)
    reverse(INTS)
    scaled(MIXED, 0)


def new_lists(k: int) -> None:
    scaled([k, k + 1, k + 2] * 5, 1000)
    try:
        over([[1.0, k]] if k % 2 else [1.0, None] if k % 3 else [])
    except TypeError:
        pass


def wrong_list(k: int) -> None:
    try:
        over([1.0, "x"])
    except TypeError:
        pass


def appends(k: int) -> None:
    appended(30)


def left_early(k: int) -> None:
    search(A, 2.0)
    search(C, 7)


def whiles(k: int) -> None:
    halving(k + (1 << 40))


def objects(k: int) -> None:
    attribute(POINT, 20)


def new_classes(k: int) -> None:
    if k % 5 == 0:
        new_classes.last = type("Fresh", (Point,), {})  # type: ignore[attr-defined]
    attribute(new_classes.last(), 20)  # type: ignore[attr-defined]


def functions(k: int) -> None:
    applied(module_function, 20)


def new_functions(k: int) -> None:
    applied(lambda x: x + k, 20)


def threads(k: int) -> None:
    if k % 200 == 0:
        thread = threading.Thread(target=axpy, args=(A, B, 40))
        thread.start()
        thread.join()


def rebound(k: int) -> None:
    rebinding([1, 2, 3, k])


def new_sites(k: int) -> None:
    if k % 10:
        return

    @nestwise.jit
    def fresh(n):
        s = 0
        for i in range(n):
            s += i * 3
        return s

    fresh(40)


SCENARIOS: list[Callable[[int], None]] = [
    native,
    declined,
    of_objects,
    event,
    late_event,
    new_sizes,
    new_shapes,
    new_types,
    lists,
    new_lists,
    wrong_list,
    appends,
    left_early,
    whiles,
    objects,
    new_classes,
    functions,
    new_functions,
    threads,
    rebound,
    new_sites,
]
WATCHED: list[Any] = [A, B, C, INTS, MIXED, OBJECTS, POINT, Point, module_function, *OBJECTS[:1]]


class _Malloc(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keepcost",
        )
    ]


_mallinfo = ctypes.CDLL(None).mallinfo2
_mallinfo.restype = _Malloc


def state() -> dict[str, int]:
    gc.collect()
    info = _mallinfo()
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[1])
    return {
        "blocks": sys.getallocatedblocks(),
        "malloc": info.uordblks + info.hblkhd,
        "resident": pages * 4096,
        "references": sum(map(sys.getrefcount, WATCHED)),
        "objects": len(gc.get_objects()),
    }


PARTS = 8


def growth(scenario: Callable[[int], None], calls: int) -> dict[str, int]:
    """What the calls after the first part leave behind: a part's median growth, times their number.

    A leak is in every part; a kernel that comes late, as on a busy machine, in one or two. What is
    compiled behind the first part has a while to be ready before the second begins.
    """
    states = []
    for part in range(PARTS):
        for k in range(calls * part // PARTS, calls * (part + 1) // PARTS):
            scenario(k)
        if not part:
            time.sleep(0.1)
        state()
        states.append(state())
    grown = [{name: b[name] - a[name] for name in b} for a, b in pairwise(states)]
    return {name: (PARTS - 1) * median(g[name] for g in grown) for name in states[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=10_000_000)
    parser.add_argument("words", nargs="*")
    given = parser.parse_args()
    for scenario in SCENARIOS:
        if not given.words or any(word in scenario.__name__ for word in given.words):
            found = growth(scenario, given.calls)
            print(json.dumps({"scenario": scenario.__name__, "calls": given.calls, **found}))
            sys.stdout.flush()
    report = nestwise.report()
    launches = sum(nest["launches"] for nest in report["nests"])
    print(json.dumps({"launches": launches, "panics": report["panics"]}))


if __name__ == "__main__":
    main()
