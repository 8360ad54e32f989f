"""Loops that run as several over consecutive ranges: cut at one iteration, at a gap, at either end, outside of the loop."""

import numpy as np
from showing import attempt, show

PLACES = (0, 1, 7, 250, 498, 499)
ANYWHERE = (*PLACES, -1, -300, 500, 501, 10**9, -(10**9), 2**62, 2**63 - 1, -(2**63))


def weak_zero(a, b, k):
    for i in range(len(a)):  # native
        a[i] = a[k] * 0.5 + b[i]
    return i


def weak_zero_down(a, b, k):
    for i in range(len(a) - 1, -1, -1):  # native
        a[i] = a[k] * 0.5 + b[i]
    return i


def crossing(a, b, k):
    for i in range(len(a)):  # native
        if 0 <= k - i < len(a):
            a[i] = a[k - i] + b[i]


def mirrored(a, lo, hi):
    for i in range(lo, hi):  # native
        a[i] = a[lo + hi - 1 - i] - 1.0


def below(a, b, k):
    for i in range(1, len(a)):  # native
        if i < k:
            a[i] = a[i - 1] * 0.5 + b[i]
        else:
            a[i] = b[i]
            last = i
    return last if k < len(a) else None


def except_one(a, b, k):
    hit = -1
    for i in range(len(a)):  # native
        if i != k:
            a[i] = b[i] * 2.0
        else:
            for j in range(len(a)):
                b[j] += a[j]
            hit = i
    return hit, i


def after_it(a, b, k):
    x = 1.5
    for i in range(len(a)):  # native
        if i == k:
            x = b[i]
        a[i] = x + b[i]
    return x, i


def doubled(a, b, k):
    for i in range(len(a) // 2):  # native
        a[2 * i] = a[k] + b[i]


def shortest(d):
    n = len(d)
    for k in range(n):  # native
        for i in range(n):
            for j in range(n):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])


def eliminate(m):
    n = len(m)
    for k in range(n):  # native
        for i in range(n):
            if i == k:
                p = m[i, i]
                for j in range(n + 1):
                    m[i, j] /= p
            else:
                f = m[i, k]
                for j in range(n + 1):
                    m[i, j] -= f * m[k, j]


def counted(a, k):
    seen = 0
    for i in range(len(a)):  # native
        a[i] = a[k] + i
        if a[i] > 100:
            seen += 1
    return seen, i


def data(n=500):
    return np.arange(n) % 17 * 1.0, np.arange(n) % 13 * 0.25


for k in PLACES:
    for f in (weak_zero, weak_zero_down, doubled):
        a, b = data()
        show(f.__name__, k, f(a, b, k), a.sum(), a[::97])
    a, _ = data()
    whole = a.astype(np.int64)
    show(k, counted(whole, k), whole.sum())
    listed = a.tolist()
    show(k, counted(listed, k), sum(listed))
for k in ANYWHERE:
    for f in (crossing, below, except_one, after_it):
        a, b = data()
        show(f.__name__, k, f(a, b, k), a.sum(), b.sum(), a[::97])
for lo, hi in ((0, 500), (0, 499), (3, 10), (7, 8), (9, 9), (300, 2), (499, 500)):
    a, _ = data()
    show(lo, hi, mirrored(a, lo, hi), a.sum(), a[:12])
# The place itself is outside: partly done, then an error.
for k in (500, -1, -501):
    a, b = data()
    attempt(weak_zero, a, b, k)
    show(k, a.sum(), a[::97])
for n in (0, 1, 2, 3, 40):
    d = (np.arange(n * n) * 7919 % 101 + 1.0).reshape(n, n)
    shortest(d)
    show(n, d.sum())
m = np.eye(30, 31) * 40.0 + (np.arange(930) % 7).reshape(30, 31)
eliminate(m)
show(m[:, 30], m.sum())
