"""Threads that come to the same loops at once, the first time too."""

import sys
import threading

import numpy as np
from showing import show

sys.setswitchinterval(1e-5)


def blend(a, b, n):
    for i in range(n):  # native
        b[i] = a[i] * 2 + b[i]
    return b[0], b[-1]


def total(xs):
    s = 0
    for x in xs:  # native
        s += x
    return s


def doubled(xs):
    for i in range(len(xs)):  # native
        xs[i] = xs[i] * 2
    return xs


def collected(n):
    found = []
    for i in range(n):  # native
        if i % 7 == 0:
            found.append(i)
    return len(found), found[-1]


KINDS = ("f8", "f4", "i8", "i4", "i2", "u1", "u4", "?")


def together(work, count=8):
    """The results of `work(k)` in threads that start as nearly at once as can be."""
    barrier = threading.Barrier(count)
    results = [None] * count

    def run(k):
        barrier.wait()
        results[k] = work(k)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def several(k):
    out = []
    for turn in range(6):
        a = np.arange(300 + turn).astype(KINDS[k])
        out.append(blend(a, np.ones(300 + turn, "f8"), 300 + turn))
        out.append(total(list(range(50 * k + turn))))
        out.append(sum(doubled([k, turn, 5] * 20)))
        out.append(collected(100 + k))
    return out


for k, result in enumerate(together(several)):
    show(KINDS[k], *result)

# One array, of which each thread has its own part.
shared = np.zeros(8_000)


def part(k):
    view = shared[k * 1_000 : (k + 1) * 1_000]
    for _ in range(20):
        blend(np.full(1_000, k), view, 1_000)
    return float(view.sum())


show("parts", together(part))
show("whole", float(shared.sum()))

# A list that another thread appends to and reads: what was there stays there.
growing = list(range(1000))
stop = threading.Event()
odd = []


def append():
    while not stop.is_set():
        growing.append(0)
        if growing[:5] != [0, 1, 2, 3, 4]:
            odd.append(growing[:5])
        growing.pop()


thread = threading.Thread(target=append)
thread.start()
sums = {total(growing) for _ in range(100)}
stop.set()
thread.join()
show("growing", sums, odd, len(growing))

# A list whose elements another thread counts up: no count is lost.
cells = [0] * 4


def bump(k):
    for _ in range(200):
        doubled([k] * 30)
        if (
            k < 4
        ):  # each by one thread alone: CPython may change threads between reading and writing
            cells[k] += 1


together(bump)
show("cells", cells)
