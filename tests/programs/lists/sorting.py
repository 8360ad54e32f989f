"""Sorting, searching and permuting of lists, which move elements about: native, with equal results."""

import random

import numpy as np
from showing import show


def bubble(a):
    for i in range(len(a)):  # native
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


def insertion(a):
    for i in range(1, len(a)):  # native
        x = a[i]
        j = i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x
    return a


def selection(a):
    for i in range(len(a)):  # native
        least = i
        for j in range(i + 1, len(a)):
            if a[j] < a[least]:
                least = j
        a[i], a[least] = a[least], a[i]
    return a


def shell(a):
    gap = len(a) // 2
    while gap > 0:  # native
        for i in range(gap, len(a)):
            x = a[i]
            j = i
            while j >= gap and a[j - gap] > x:
                a[j] = a[j - gap]
                j -= gap
            a[j] = x
        gap //= 2
    return a


def quick(a, lo, hi):
    if lo < hi:
        pivot = a[hi]
        i = lo - 1
        for j in range(lo, hi):  # native
            if a[j] <= pivot:
                i += 1
                a[i], a[j] = a[j], a[i]
        a[i + 1], a[hi] = a[hi], a[i + 1]
        quick(a, lo, i)
        quick(a, i + 2, hi)
    return a


def heap(a):
    n = len(a)
    for start in range(n // 2 - 1, -1, -1):  # native
        root = start
        while 2 * root + 1 < n:
            child = 2 * root + 1
            if child + 1 < n and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child
    for end in range(n - 1, 0, -1):  # native
        a[0], a[end] = a[end], a[0]
        root = 0
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child
    return a


def merge(a, b):
    out = [a[0]] * (len(a) + len(b))
    i = j = 0
    for k in range(len(out)):  # native
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
    return out


def counting(a):
    counts = [0] * 101
    for x in a:  # native
        counts[int(x) % 101] += 1
    at = 0
    for v in range(101):  # native
        for _ in range(counts[v]):
            a[at] = v
            at += 1
    return a


def reverse(a):
    i, j = 0, len(a) - 1
    while i < j:  # native
        a[i], a[j] = a[j], a[i]
        i += 1
        j -= 1
    return a


def search(a, x):
    lo, hi = 0, len(a)
    while lo < hi:  # native
        middle = (lo + hi) // 2
        if a[middle] < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


def jacobi(a, b, steps):
    for t in range(steps):  # native
        for i in range(1, len(a) - 1):
            for j in range(1, len(a[0]) - 1):
                b[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4
        a, b = b, a
    return a, b


def permute(a, p):
    b = a[:]
    for i in range(len(a)):  # native
        b[p[i]] = a[i]
    return b


rng = random.Random(3)
for n in (1, 2, 17, 60):
    for make in (
        lambda: rng.randrange(100),
        lambda: rng.random(),
        lambda: rng.choice((1.5, 2, 3, 2.0)),
        lambda: rng.randrange(10**15),
    ):
        data = [make() for _ in range(n)]
        for sort in (bubble, insertion, selection, shell, heap, counting, reverse):
            show(sort.__name__, sort(data[:]), sort(np.array(data)))
        show("quick", quick(data[:], 0, n - 1), quick(np.array(data), 0, n - 1))
        a, b = sorted(data), sorted(make() for _ in range(n))
        show("merge", merge(a, b), search(a, data[0]), search(a, 50), search(a, -1))
        order = list(range(n))
        rng.shuffle(order)
        show("permute", permute(data, order))
for steps in (3, 4):
    grids = [[[float(rng.randrange(9)) for _ in range(6)] for _ in range(5)] for _ in range(2)]
    show("jacobi", *jacobi(*grids, steps), *grids)
nan = float("nan")
show("nan", bubble([3.0, nan, 1.0]), permute([nan], [0]))
last = 0.0
for x in [1.0, nan]:
    last = x
print(last)
out = [0.0] * 3
values = [1.0, nan, 2.0]
for i in range(3):  # native
    out[i] = values[i] * 2
print(out)
