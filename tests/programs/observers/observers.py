"""Trace and profile functions that are set before a loop, by what it calls, and by a signal's handler in the middle."""

import signal
import sys
import threading
import time

import numpy as np
from showing import show


def work(a, n):
    s = 0
    for i in range(n):  # native
        s += a[i % len(a)]
    return s


def unending(a, flag):
    """Ends only when the handler, or what it sets, says so."""
    s = 0
    while flag[0] == 0:
        for i in range(len(a)):
            s = (s + a[i]) & 0xFFFF
    return s


def unending_array(a, flag):
    s = 0
    while not flag[0]:
        for i in range(len(a)):
            s = (s + int(a[i])) & 0xFFFF
    return s


def counted_out(a, n):
    s = 0
    for k in range(n):
        for i in range(len(a)):
            s = (s + a[i] * k) & 0xFFFF
    return s


class Enough(Exception):
    pass


class Tracer:
    """Counts lines of one function, then ends it or switches itself off."""

    def __init__(self, name, limit=25, ends=False):
        self.name, self.limit, self.ends = name, limit, ends
        self.lines = []

    def __call__(self, frame, event, argument):
        if frame.f_code.co_name != self.name:
            return None
        if event == "line" and len(self.lines) < self.limit:
            self.lines.append(frame.f_lineno - frame.f_code.co_firstlineno)
        elif event == "line":
            if self.ends:
                raise Enough
            sys.settrace(None)
            frame.f_trace = None
            return None
        return self


def by_handler(function, *arguments):
    """A debugger that attaches to a running program: lines are seen from then on."""
    tracer = Tracer(function.__name__, ends=True)

    def attach(number, frame):
        while frame is not None:
            frame.f_trace = tracer
            frame = frame.f_back
        sys.settrace(tracer)

    signal.signal(signal.SIGALRM, attach)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        function(*arguments)
    except Enough:
        pass
    sys.settrace(None)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return len(tracer.lines), sorted(set(tracer.lines))


def handler_ends(function, a, flag):
    """The handler writes what the loop's condition reads."""

    def write(number, frame):
        flag[0] = 1

    signal.signal(signal.SIGALRM, write)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    begun = time.monotonic()
    function(a, flag)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return time.monotonic() - begun < 20


def handler_raises_then_again(a):
    """Stopped in the middle; what the frame had is whole, and the next call runs as ever."""

    def stop(number, frame):
        raise TimeoutError(frame.f_code.co_name)

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        counted_out(a, 10**9)
    except TimeoutError as error:
        text = str(error)
        inner = error.__traceback__.tb_next.tb_frame.f_locals
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return text, sorted(inner), 0 <= inner["s"] <= 0xFFFF, work(a, 5)


def started():
    """Called by a loop: from here on its lines are seen."""
    sys._getframe(1).f_trace = TRACER
    sys.settrace(TRACER)
    return 1


TRACER = Tracer("traced_by_callee", 12)


def traced_by_callee(a):
    s = 0
    for i in range(len(a)):
        for x in a:
            s += x
        if i == 1:
            s += started()
    return s


def profiled_from_within(a):
    seen = []

    def profile(frame, event, argument):
        name = getattr(argument, "__name__", None) or frame.f_code.co_name
        if event in ("c_call", "call") and name in ("len", "helper"):
            seen.append((event, name))

    s = 0
    for k in range(3):
        if k == 1:
            sys.setprofile(profile)
        for i in range(len(a)):
            s += helper(a[i])
        if k == 1:
            sys.setprofile(None)
    return s, seen


def helper(x):
    return x + len("ab")


def in_traced_thread(a):
    lines = []

    def trace(frame, event, argument):
        if frame.f_code.co_name == "work" and event == "line":
            lines.append(frame.f_lineno - frame.f_code.co_firstlineno)
        return trace

    threading.settrace(trace)
    thread = threading.Thread(target=work, args=(a, 3))
    thread.start()
    thread.join()
    threading.settrace(None)
    here = work(a, 3)
    return lines, here


def changed_by_tracer(a):
    """A tracer is code like any other: it changes the list that the loop reads."""

    def trace(frame, event, argument):
        if frame.f_code.co_name == "work" and event == "line" and len(a) < 6:
            a.append(100)
        return trace

    sys.settrace(trace)
    try:
        return work(a, 8), a
    finally:
        sys.settrace(None)


def jumped(a):
    """A debugger's jump over the loop."""

    def trace(frame, event, argument):
        if frame.f_code.co_name == "work" and event == "line":
            at = frame.f_lineno - frame.f_code.co_firstlineno
            if at == 2:
                frame.f_lineno = frame.f_code.co_firstlineno + 4
        return trace

    sys.settrace(trace)
    try:
        return work(a, 8)
    finally:
        sys.settrace(None)


l, n = [3, 1, 4, 1, 5], np.array([3, 1, 4, 1, 5])
show("plain", work(l, 12), work(n, 12))
show("handler", by_handler(counted_out, l, 10**12), by_handler(counted_out, n, 10**12))
show("condition", handler_ends(unending, l, [0]), handler_ends(unending_array, n, np.zeros(1)))
show("raises", handler_raises_then_again(l), handler_raises_then_again(n))
show("callee", traced_by_callee(l), TRACER.lines)
sys.settrace(None)
show("profiled", profiled_from_within(l), in_traced_thread(l))
show("tracer", changed_by_tracer([1, 2]), jumped(l))
show("plain", work(l, 12), work(n, 12))
