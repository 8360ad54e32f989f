# How long a signal's handler, or another thread, waits for loops of several kinds: those that end it are told in time.
import signal
import threading
import time

import numpy as np

LIMIT_S = 0.1


class Stop(Exception):
    pass


def handler(*_):
    raise Stop


def inner_while(a):
    for k in range(3):
        x = 0.5
        while x < 2.0:
            x = 3.7 * x * (1 - x) if x != 0.25 else 0.5
        a[k] = x


def inner_for(a):
    for k in range(3):
        for j in range(10**12):
            a[k % 8] += j & 1


def inner_of_list(xs):
    n = 0
    while n >= 0:
        n += 1
        while xs[0] < 10**15:
            xs[0] += 1


def inner_condition(a):
    k = 0
    for _ in range(10):
        while a[k] == 0.0:
            k = (k + 1) % len(a)


def collatz_for_ever(n):
    best = 0
    for k in range(1, n):
        m = k
        while m != 0:
            m = 3 * m + 1 if m & 1 else m >> 1
        best += m
    return best


def delay(function, *arguments):
    """Seconds from the signal to the exception, at best of three."""
    found = []
    for _ in range(3):
        signal.setitimer(signal.ITIMER_REAL, 0.15)
        begun = time.perf_counter()
        try:
            function(*arguments)
        except Stop:
            found.append(time.perf_counter() - begun - 0.15)
    return min(found)


signal.signal(signal.SIGALRM, handler)
for function, make in (
    (inner_while, lambda: np.zeros(8)),
    (inner_for, lambda: np.zeros(8, dtype=np.int64)),
    (inner_of_list, lambda: [0]),
    (inner_condition, lambda: np.zeros(1000)),
    (collatz_for_ever, lambda: 10**6),
):
    print(function.__name__, delay(function, make()) < LIMIT_S)


# A thread that wants the interpreter while the main thread is in such a loop.
waits = []


def other():
    for _ in range(8):
        time.sleep(0.02)
        begun = time.perf_counter()
        for _ in range(2000):
            pass
        waits.append(time.perf_counter() - begun)


for function, argument in ((inner_while, np.zeros(8)), (collatz_for_ever, 10**6)):
    waits.clear()
    thread = threading.Thread(target=other)
    thread.start()
    signal.setitimer(signal.ITIMER_REAL, 0.6)
    try:
        function(argument)
    except Stop:
        pass
    thread.join()
    print(function.__name__, sorted(waits)[4] < LIMIT_S)
