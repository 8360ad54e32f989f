# How long a signal's handler waits for loops that threads share, and for expressions: one iteration takes longer than anybody
# should have to wait.
import signal
import time

import numpy as np

LIMIT_S = 0.1


class Stop(Exception):
    pass


def handler(*_):
    raise Stop


def shared(out):
    for i in range(len(out)):
        x = i
        for _ in range(10**11):
            x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        out[i] = x


def shared_until(out):
    for i in range(len(out)):
        x = i
        for k in range(10**11):
            x = (x * 1103515245 + 12345) & 0x7FFFFFFF
            if x == k + (1 << 40):
                break
        out[i] = x


def total(_):
    return sum((i * j) & 7 for i in range(4) for j in range(10**11))


def listed(_):
    return [sum(j & i for j in range(10**11)) for i in range(4)]


def delay(function):
    """Seconds from the signal to the exception, at best of three, and whether nothing was done by half."""
    found, whole = [], True
    for _ in range(3):
        out = np.full(8, -1, dtype=np.int64)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        begun = time.perf_counter()
        try:
            function(out)
        except Stop:
            found.append(time.perf_counter() - begun - 0.2)
        whole = whole and (out == -1).all()
    return min(found), whole


signal.signal(signal.SIGALRM, handler)
for function in (shared, shared_until, total, listed):
    took, whole = delay(function)
    print(function.__name__, took < LIMIT_S, whole)
