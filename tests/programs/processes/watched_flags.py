"""Flags, lists and names that signal handlers and other threads change while a loop runs.

Every loop here ends by what somebody else does; a copy that is never looked at again would run for ever.
"""

import signal
import threading
import time

import numpy as np
from showing import show

running = True
count = 0
swapped = np.ones(4)


def while_global():
    n = 0
    while running:  # native
        n += 1
    return n > 0


def for_global(a):
    for i in range(10**13):  # native
        if not running:
            break
        a[i % 4] += 1
    return sum(a) == i


def while_list(flag):
    n = 0
    while flag[0] == 0:  # native
        n = (n + 1) % 1000
    return flag


def while_row(flags):
    n = 0
    while flags[1][1] < 0.5:  # native
        n = (n + 1) % 1000
    return flags


def while_array(flag):
    n = 0
    while flag[0] == 0:  # native
        n = (n + 1) % 1000
    return flag


def while_replaced(limit):
    n = 0
    while swapped[0] > limit:  # native
        n = (n + 1) % 1000
    return swapped


def limit_of(k):
    return k if running else -1


def while_function():
    n = 0
    while limit_of(1) > 0:  # native
        n = (n + 1) % 1000
    return n >= 0


def with_cell():
    go = True

    def stop():
        nonlocal go
        go = False

    def run():
        n = 0
        while go:  # native
            n = (n + 1) % 1000
        return go

    return run, stop


class Worker:
    def __init__(self):
        self.running = True
        self.steps = 0
        self.cells = [0.0] * 4
        self.data = np.zeros(4)

    def run(self):
        while self.running:  # native
            self.steps += 1
        return self.steps > 0

    def fill(self):
        for i in range(10**13):  # native
            if not self.running:
                break
            self.cells[i % 4] += 1.0
            self.data[i % 4] += 1.0
        return sum(self.cells) == i == self.data.sum()

    def reset(self):
        """The handler sets to zero what the loop counts: the loop goes on from there."""
        for i in range(10**13):  # native
            if self.cells[3] < 0:
                break
            self.cells[0] += 1.0
            self.cells[1] += 1.0
        return self.cells[0] < self.cells[1], self.cells[2:]


def counted():
    global count
    while running:  # native
        count += 1


def counted_in_list(a):
    """What the loop has written is there for whoever looks, and what they write stays."""
    i = 0
    while a[1] == 0:  # native
        a[0] += 1
        i += 1
    return a[0] == i, a[1] > 0, a[2] == a[1]


def by_handler(change, function, *arguments):
    """The handler may come before the loop has begun."""
    signal.signal(signal.SIGALRM, lambda number, frame: change())
    signal.setitimer(signal.ITIMER_REAL, 0.06)
    try:
        return function(*arguments)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def by_thread(change, function, *arguments):
    def later():
        time.sleep(0.06)
        change()

    thread = threading.Thread(target=later)
    thread.start()
    try:
        return function(*arguments)
    finally:
        thread.join()


def set_global():
    global running
    running = False


def replace():
    global swapped
    swapped = np.zeros(4)


def set_item(container, *path):
    def change():
        place = container
        for index in path[:-2]:
            place = place[index]
        place[path[-2]] = path[-1]

    return change


def set_row(flags):
    def change():
        flags[1] = [0.0, 1.0]

    return change


def pass_on(a):
    def change():
        now = a[0]
        a[2] = now
        a[1] = now

    return change


def of_another_kind(a):
    def change():
        a[0] = "text"

    return change


for by in (by_handler, by_thread):
    print(by.__name__)
    for function, arguments in (
        (while_global, ()),
        (for_global, ([0] * 4,)),
        (for_global, (np.zeros(4),)),
        (while_function, ()),
    ):
        running = True
        show(function.__name__, by(set_global, function, *arguments))
    running, count = True, 0
    by(set_global, counted)
    show("counted", count > 0)
    a = [0]
    show("list", by(set_item(a, 0, 1), while_list, a))
    a = [0]
    show("another kind", by(of_another_kind(a), while_list, a))
    rows = [[0.0, 0.0], [0.0, 0.0]]
    show("row", by(set_item(rows, 1, 1, 2.0), while_row, rows))
    rows = [[0.0, 0.0], [0.0, 0.0]]
    show("whole row", by(set_row(rows), while_row, rows))
    a = np.zeros(1)
    show("array", by(set_item(a, 0, 1), while_array, a))
    swapped = np.ones(4)
    show("replaced", by(replace, while_replaced, 0.5))
    run, stop = with_cell()
    show("cell", by(stop, run))
    for name in ("run", "fill"):
        worker = Worker()
        show(name, by(lambda: setattr(worker, "running", False), getattr(worker, name)))
    a = [0, 0, 0]
    show("published", by(pass_on(a), counted_in_list, a))

# Twice: the first time sets to zero, the second ends.
worker = Worker()
calls = []


def twice(number, frame):
    calls.append(number)
    if len(calls) == 1:
        worker.cells[0] = 0.0
    else:
        worker.cells[3] = -1.0


signal.signal(signal.SIGALRM, twice)
signal.setitimer(signal.ITIMER_REAL, 0.06, 0.06)
show("reset", worker.reset())
signal.setitimer(signal.ITIMER_REAL, 0)


# Other threads run while a loop does, and see it grow.
def grow(a, n):
    for i in range(n):  # native
        if a[1] > 0:
            break
        a[0] += 1
    return i


def watch(a, seen):
    while len(seen) < 3:
        now = a[0]
        if not seen or now > seen[-1]:
            seen.append(now)
        time.sleep(0.01)
    a[1] = 1


for a in ([0, 0], np.zeros(2, dtype=np.int64)):
    seen = []
    thread = threading.Thread(target=watch, args=(a, seen))
    thread.start()
    i = grow(a, 10**13)
    thread.join()
    show("grow", i == a[0], seen == sorted(seen), len(seen))
