"""Searches, merges and heaps."""

import numpy as np


def argmax2d(A):
    best = A[0][0]
    bi = bj = 0
    for i, row in enumerate(A):  # native
        for j, v in enumerate(row):
            if v > best:
                best = v
                bi, bj = i, j
    return best, bi, bj


def dot(a, b):
    s = 0
    for x, y in zip(a, b):  # native
        s += x * y
    return s


def rev(a):
    out = [0] * len(a)
    for i, v in enumerate(reversed(a)):  # native
        out[i] = v
    return out


def prefix(a):
    t = 0
    p = [0] * (len(a) + 1)
    for i, v in enumerate(a, 1):  # native
        t += v
        p[i] = t
    return p


def two_pointer(a, target):
    lo, hi = 0, len(a) - 1
    while lo < hi:  # native
        s = a[lo] + a[hi]
        if s == target:
            return lo, hi
        if s < target:
            lo += 1
        else:
            hi -= 1
    return -1, -1


def bsearch(a, x):
    lo, hi = 0, len(a)
    while lo < hi:
        mid = (lo + hi) >> 1
        if a[mid] < x:
            lo = mid + 1
        else:
            hi = mid
    return lo


def bs_many(a, q):
    t = 0
    for x in q:  # native
        t += bsearch(a, x)
    return t


def kadane(a):
    best = cur = a[0]
    for x in a[1:]:
        cur = max(x, cur + x)
        best = max(best, cur)
    return best


def merge(a, b):
    n, m = len(a), len(b)
    out = [0] * (n + m)
    i = j = k = 0
    while i < n and j < m:  # native
        if a[i] <= b[j]:
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
        k += 1
    while i < n:
        out[k] = a[i]
        i += 1
        k += 1
    while j < m:  # native
        out[k] = b[j]
        j += 1
        k += 1
    return out


def partition(a, lo, hi):
    p = a[hi]
    i = lo - 1
    for j in range(lo, hi):  # native
        if a[j] <= p:
            i += 1
            a[i], a[j] = a[j], a[i]
    a[i + 1], a[hi] = a[hi], a[i + 1]
    return i + 1


def heapify(a, n, i):
    while True:
        l, r, m = 2 * i + 1, 2 * i + 2, i
        if l < n and a[l] > a[m]:
            m = l
        if r < n and a[r] > a[m]:
            m = r
        if m == i:
            return
        a[i], a[m] = a[m], a[i]
        i = m


def heapsort(a):
    n = len(a)
    for i in range(n // 2 - 1, -1, -1):  # native
        heapify(a, n, i)
    for e in range(n - 1, 0, -1):  # native
        a[0], a[e] = a[e], a[0]
        heapify(a, e, 0)
    return a


def counting(a, k):
    c = [0] * k
    for x in a:  # native
        c[x] += 1
    p = 0
    for v in range(k):  # native
        for _ in range(c[v]):
            a[p] = v
            p += 1
    return a


A = [[3, 8, 1], [9, 2, 4]]
d = [(i * 31) % 17 - 8 for i in range(30)]
s = sorted(d)
print(
    argmax2d(A),
    argmax2d(np.array(A)),
    dot([1, 2, 3], [4, 5, 6]),
    dot(np.array([1, 2]), np.array([3, 4])),
    rev(d)[:4],
    prefix(d)[-3:],
    two_pointer(s, 5),
    bs_many(s, d),
    kadane(d),
    merge(s, s)[20:30],
    partition(d[:], 0, 29),
    heapsort(d[:]),
    counting([x + 8 for x in d], 17),
)
