"""Tracing, profiling, frames and time: what watches a program sees CPython's own run."""

import gc
import sys
import threading

import numpy as np
from showing import show


def work(a, n):
    s = 0
    for i in range(n):  # native
        s += a[i % len(a)]
    return s


def traced(function, *arguments):
    lines = []

    def trace(frame, event, argument):
        if frame.f_code.co_name == "work" and event == "line":
            lines.append(frame.f_lineno)
        return trace

    sys.settrace(trace)
    try:
        result = function(*arguments)
    finally:
        sys.settrace(None)
    return result, lines


def profiled(function, *arguments):
    events = []

    def profile(frame, event, argument):
        if frame.f_code.co_name == "work":
            events.append((event, getattr(argument, "__name__", None)))

    sys.setprofile(profile)
    try:
        result = function(*arguments)
    finally:
        sys.setprofile(None)
    return result, events


def frame_seen(a):
    s = 0
    for x in a:  # native
        s += x
    frame = sys._getframe()
    return sorted(frame.f_locals), frame.f_lineno - frame.f_code.co_firstlineno


def caller_changes(a):
    def change():
        a[0] = 100

    s = 0
    for i in range(3):  # native
        for x in a:
            s += x
        change()
    return s


def references(a):
    before = sys.getrefcount(a)
    for i in range(len(a)):  # native
        a[i] += 1
    return sys.getrefcount(a) - before


def object_count(a):
    gc.collect()
    before = len(gc.get_objects())
    for k in range(50):  # native
        for i in range(len(a)):
            a[i] = a[i] + 0.5
    gc.collect()
    return len(gc.get_objects()) - before < 40


def names(a):
    s = 0
    for x in a:  # native
        s += x
    return dir(), sorted(vars())


def code_constants():
    return [c for c in work.__code__.co_consts if isinstance(c, (int, str))][:1]


class WithLoop:
    total = 0
    for k in range(5):
        total += k
    names = sorted(n for n in locals() if not n.startswith("__"))


def executed():
    scope = {"a": [1, 2, 3]}
    exec("s = 0\nfor x in a:\n    s += x", scope)
    return scope["s"], sorted(n for n in scope if n != "__builtins__")


def evaluated(a):
    return eval("sum(x * x for x in a)", {"a": a})


def recursion(n):
    s = 0
    for i in range(3):
        s += i + (recursion(n - 1) if n else 0)
    return s


def reentered(a, depth):
    s = 0
    for x in a:  # native
        s += x
    if depth:
        s += reentered(a[1:], depth - 1)
    for x in a:  # native
        s -= 2 * x
    return s


def in_threads(count):
    data = np.arange(1000.0)
    results = [None] * count

    def run(k):
        s = 0.0
        for x in data:  # native
            s += x * k
        results[k] = s

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    return results


def documented(a):
    """A docstring with words."""
    for x in a:  # native
        pass
    return documented.__doc__, documented.__name__, documented.__code__.co_varnames


show("plain", work([1, 2, 3], 10))
result, lines = traced(work, [1, 2, 3], 4)
show("traced", result, [n - work.__code__.co_firstlineno for n in lines])
show("profiled", *profiled(work, [1, 2, 3], 4))
show("plain", work(np.arange(3), 10))
show("frame", *frame_seen([1, 2]))
show("caller", caller_changes([1, 2, 3]), caller_changes(np.arange(3)))
show("references", references(np.zeros(3)), references([1, 2]), object_count([0.5] * 5))
show("names", *names([1, 2]))
show("class", WithLoop.total, WithLoop.k, WithLoop.names, code_constants())
show("executed", *executed(), evaluated([1, 2]))
show("recursion", recursion(2), reentered([1, 2, 3], 2), reentered(np.arange(4), 2))
show("threads", in_threads(4))
show("documented", *documented([1]))
