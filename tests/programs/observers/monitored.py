"""sys.monitoring: tools that watch lines, calls and branches, set before a loop and in its middle."""
# requires: python 3.12

import signal
import sys

import numpy as np
from showing import show

M = sys.monitoring
E = M.events


def work(a, n):
    s = 0
    for i in range(n):  # native
        s += a[i % len(a)]
    return s


def counted_out(a, n):
    s = 0
    for k in range(n):
        for i in range(len(a)):
            s = (s + a[i] * k) & 0xFFFF
    return s


def lines_of(function, *arguments, tool=M.COVERAGE_ID, local=False):
    seen = []

    def line(code, number):
        if code is function.__code__:
            seen.append(number - code.co_firstlineno)

    M.use_tool_id(tool, "lines")
    M.register_callback(tool, E.LINE, line)
    if local:
        M.set_local_events(tool, function.__code__, E.LINE)
    else:
        M.set_events(tool, E.LINE)
    result = function(*arguments)
    M.set_events(tool, 0)
    M.free_tool_id(tool)
    return result, seen


def registered_but_idle(a):
    M.use_tool_id(M.PROFILER_ID, "idle")
    result = work(a, 4)
    M.free_tool_id(M.PROFILER_ID)
    return result


class Enough(Exception):
    pass


def from_handler(a, n):
    """Attached to a running loop, which it ends."""
    seen = []

    def line(code, number):
        if code is counted_out.__code__ and len(seen) < 30:
            seen.append(number - code.co_firstlineno)
            if len(seen) == 30:
                raise Enough

    def attach(number, frame):
        M.use_tool_id(M.DEBUGGER_ID, "attached")
        M.register_callback(M.DEBUGGER_ID, E.LINE, line)
        M.set_events(M.DEBUGGER_ID, E.LINE)

    signal.signal(signal.SIGALRM, attach)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        counted_out(a, n)
    except Enough:
        M.set_events(M.DEBUGGER_ID, 0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    M.free_tool_id(M.DEBUGGER_ID)
    return len(seen), sorted(set(seen))


def calls_of(a):
    """Of functions that have a name: what nestwise puts into the code is called, too, and cannot be hidden."""
    seen = []

    def call(code, offset, function, argument):
        if code is work.__code__:
            seen.extend(name for name in [getattr(function, "__name__", None)] if name)

    M.use_tool_id(M.PROFILER_ID, "calls")
    M.register_callback(M.PROFILER_ID, E.CALL, call)
    M.set_events(M.PROFILER_ID, E.CALL)
    work(a, 3)
    M.set_events(M.PROFILER_ID, 0)
    M.free_tool_id(M.PROFILER_ID)
    return seen


def raised_in_callback(a):
    def line(code, number):
        if code is work.__code__ and number == code.co_firstlineno + 3:
            raise KeyError("callback")

    M.use_tool_id(0, "raises")
    M.register_callback(0, E.LINE, line)
    M.set_events(0, E.LINE)
    try:
        work(a, 3)
    except KeyError as error:
        return str(error)
    finally:
        M.set_events(0, 0)
        M.free_tool_id(0)


l, n = [3, 1, 4], np.array([3, 1, 4])
show("plain", work(l, 12), work(n, 12))
for tool in range(6):
    show("lines", tool, lines_of(work, l, 3, tool=tool))
show("local", lines_of(work, l, 3, local=True))
show("idle", registered_but_idle(l))
show("handler", from_handler(l, 10**12), from_handler(n, 10**12))
show("calls", calls_of(l), raised_in_callback(l))
show("plain", work(l, 12), work(n, 12))
