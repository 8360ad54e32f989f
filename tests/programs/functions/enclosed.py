"""Functions that see names of the function around them, as the loop assigns them."""

import numpy as np
from showing import attempt, show


def counted(n):
    total = last = 0

    def so_far():
        return total

    for k in range(n):  # cpython
        total = k
        last += so_far()
    return total, last


def best_of(values):
    best, found = 0, 0

    def better(x):
        return x > best

    for v in values:  # cpython
        if better(v):
            best = v
            found += 1
    return best, found


def shifted(n):
    table = np.zeros((n, n), dtype=int)
    k = 0
    plus = lambda x: x + k  # noqa: E731
    for k in range(n):
        for j in range(n):  # native
            table[k, j] = plus(j)
    return table


def swapped(n):
    a, b, out = [1] * n, [2] * n, [0] * n

    def get(j):
        return a[j]

    for k in range(n):  # cpython
        out[k] = get(k)
        a, b = b, a
    return out


def steps(n):
    t = count = 0

    def before():
        return t < n

    while before():  # cpython
        t += 3
        count += 1
    return count, t


def parameter(n, t):
    out = [0] * n

    def get():
        return t

    for k in range(n):  # cpython
        t = t + 1
        out[k] = get()
    return out


def two_deep(n):
    t, out = 0, [0] * n

    def outer():
        def inner():
            return t

        return inner

    inner = outer()
    for k in range(n):  # cpython
        t = k
        out[k] = inner()
    return out


def in_class(n):
    class Reader:
        def get(self):
            return t

    reader, t, out = Reader(), 0, [0] * n
    for k in range(n):  # cpython
        t += k
        out[k] = reader.get()
    return out


def siblings():
    t = 0

    def run(n):
        nonlocal t
        out = [0] * n
        for k in range(n):  # cpython
            t += k
            out[k] = get()
        return out

    def get():
        return t

    return run, get


def unchanged(n):
    scale, offset = 3, [1, 2, 4]

    def line(x):
        return scale * x + offset[x % 3]

    total = 0
    for k in range(n):  # native
        total += line(k)
    return total


show("counted", counted(100), counted(0))
show("best", best_of([(k * 7919) % 1009 for k in range(1000)]))
show("shifted", shifted(12))
show("swapped", swapped(20))
show("steps", steps(300))
show("parameter", parameter(20, 5))
show("two deep", two_deep(20))
show("class", in_class(20))
run, get = siblings()
show("siblings", run(20), get(), run(20), get())
show("unchanged", unchanged(100))
attempt(unchanged, None)
