"""Loops in place that read what only later iterations write, with all that must not depend on their order."""

import numpy as np
from showing import show


def backwards(a, b, c):
    for i in range(len(a) - 1):  # native
        a[i] = a[i + 1] * c + b[i]
    return a


def shifted_up(a):
    for i in range(len(a) - 4, -1, -1):  # native
        a[i + 3] = a[i] - a[i + 1]
    return a


def with_itself(a, b):
    for i in range(len(a) - 2):  # native
        a[i] = a[i + 2] + 1.0
        b[i] = a[i] + a[i + 1]
    return a, b, i


def thinned(a):
    for i in range(len(a) // 2):  # native
        a[i] = a[2 * i + 1]
    return a


def rows(g):
    for i in range(g.shape[0] - 2):  # native
        for j in range(1, g.shape[1]):
            g[i, j] = 0.5 * g[i + 1, j] + 0.25 * g[i + 2, j - 1]
    return g


def rest_of_column(g):
    for i in range(g.shape[0]):  # native
        s = 0.0
        for k in range(i, g.shape[0]):
            s += g[k, 0]
        g[i, 0] = s
    return g


def steps(a, times):
    for t in range(times):  # native
        for i in range(len(a) - 1):
            if a[i + 1] > a[i]:
                a[i] = a[i + 1] - t
    return a, t


def last_iteration(a, m):
    found = -1
    for i in range(m):  # native
        found = i
        a[i] = a[i + 5]
    return found


def ints(a, b):
    for i in range(len(a) - 1):  # native
        a[i] = a[i + 1] * b[i] + i
    return a


def both_ways(a):
    for i in range(1, len(a) - 1):  # native
        a[i] = 0.5 * (a[i + 1] + a[i - 1])
    return a


def overlapping(a, b):
    for i in range(len(b)):  # native
        a[i] = b[i] * 0.5
    return a


def wave(n):
    return np.arange(n) % 97 * 0.5


N = 70_000
show("backwards", backwards(wave(N), wave(N + 3), 0.5).sum())
show("strided", backwards(wave(2 * N)[::2], wave(N)[::-1], -1.5).sum())
show("a list", sum(backwards(wave(N).tolist(), wave(N).tolist(), 2.0)))
show("mixed", backwards([k if k % 3 else k * 0.5 for k in range(5000)], [1] * 5000, 1)[:6])
show("complex", backwards(wave(N) + 1j, wave(N) - 2j, 0.5).sum())
show("floats", backwards(wave(N).astype(np.float32), wave(N).astype(np.float32), 3.0).sum())
show("up", shifted_up(wave(N)).sum())
a, b, i = with_itself(wave(N), np.zeros(N))
show("with itself", a.sum(), b.sum(), i)
show("thinned", thinned(wave(N)).sum())
show("rows", rows(wave(N).reshape(350, 200)).sum())
show("columns", rows(wave(N).reshape(350, 200).T).sum())
show("rest", rest_of_column(wave(N)[:1200].reshape(600, 2))[:5, 0])
a, t = steps(wave(N), 5)
show("steps", a.sum(), t)
show("ints", ints(np.arange(N) % 13, np.arange(N) % 3).sum())
show("list of ints", sum(ints([k % 13 for k in range(N)], [k % 3 for k in range(N)])))
show("both ways", both_ways(wave(N)).sum())
x = wave(N)
overlapping(x[:-1], x[1:])
show("overlapping", x.sum())
overlapping(x[1:], x[:-1])
show("overlapping", x.sum())

# What fires half-way leaves what came before it.
short = wave(N)
try:
    last_iteration(short, N)
except IndexError as e:
    show("too far", e, short.sum())
big = [1] * N
big[N // 2] = 2**62
try:
    ints(big, [3] * N)
except OverflowError as e:
    show(e)
show("grown", big[N // 2 - 3 : N // 2 + 3], sum(big))
huge = np.full(N, 1e308)
with np.errstate(over="ignore"):
    show("inf", backwards(huge, wave(N), 10.0)[:3])
