"""Tuples of numbers kept in a name: where the best was found, pairs carried through a loop."""

import math

import numpy as np
from showing import attempt, show


def where_largest(A):
    best = -math.inf
    where = (-1, -1)
    for i in range(A.shape[0]):  # native
        for j in range(A.shape[1]):
            if A[i, j] > best:
                best = A[i, j]
                where = (i, j)
    return best, where


def always(a):
    for i in range(len(a)):  # native
        last = (i, a[i], a[i] > 1)
    return last


def never_assigned(a):
    pair = ("kept", None)
    for i in range(len(a)):  # native
        if a[i] > 1e9:
            pair = (i, i)
    return pair


def unbound(a):
    for i in range(len(a)):  # native
        if a[i] > 1e9:
            pair = (i, i)
    return pair


def read_again(a):
    total = 0.0
    for i in range(1, len(a)):  # native
        pair = (a[i - 1], a[i])
        low, high = pair
        total += pair[1] - pair[-2] * 0.5 + low * high
    return total, pair


def reset_inside(A):
    found = []
    for i in range(len(A)):  # native
        near = (0, 0.0)
        for j in range(len(A[0])):
            if A[i][j] > 2:
                near = (j, A[i][j])
        found.append(near)
    return found


def reset_in_nest(A):
    for i in range(len(A)):  # native
        near = (0, 0)
        for j in range(len(A[0])):
            if A[i][j] > 2:
                near = (i, j)
    return near


def returned(A):
    for i in range(len(A)):  # native
        for j in range(len(A[0])):
            at = (i, j)
            if A[i][j] > 2:
                return at[0], at[1], at[0] + at[1]
    return at


def raises(A, n):
    at = None
    try:
        for i in range(n):  # native
            at = (i, A[i])
    except IndexError as e:
        print(e)
    return at


def as_object(a, seen):
    """Somebody sees the tuple: CPython's."""
    for i in range(len(a)):
        pair = (i, a[i])
        seen.append(pair)
    return pair


def of_other_lengths(a):
    for i in range(len(a)):
        p = (i, a[i])
        if a[i] > 2:
            p = (i,)
    return p


def old_one(a):
    best = (0.0, -1)
    for i in range(len(a)):
        if a[i] > best[0]:
            best = (a[i], i)
    return best


def of_tuples(a):
    for i in range(len(a)):
        p = (i, (a[i], 1))
    return p


def out_of_range(a):
    for i in range(len(a)):
        p = (i, a[i])
        q = p[2]
    return p, q


def grown(n):
    for i in range(n):  # native
        p = (i, 2**62 + i * 2**60)
    return p


def types_differ(a):
    for i in range(len(a)):
        p = (i, 0)
        if a[i] > 2:
            p = (i, 0.5)
    return p


for data in ([1.0, 3.0, 2.0, 3.0], [float("nan"), 1.0]):
    a = np.array(data)
    A = np.array([data, data[::-1]])
    show("where", *where_largest(A))
    show("always", always(a), always(data))
    show("never", never_assigned(a))
    attempt(unbound, a)
    show("again", *read_again(a), *read_again(data))
    show("reset", reset_inside(A.tolist()), reset_in_nest(A), reset_in_nest(A.tolist()))
    show("returned", returned(A), returned(A.tolist()))
    show("raises", raises(a, 3), raises(data, 9))
    show("object", as_object(a, []))
    show("others", of_other_lengths(a), old_one(a), of_tuples(a), types_differ(a))
    attempt(out_of_range, a)
show("ints", where_largest(np.arange(12, dtype=np.int8).reshape(3, 4)), always(np.uint8([1, 2])))
show("empty", never_assigned(np.zeros(0)), raises(np.zeros(0), 0))
show("grown", grown(9), grown(3))

place = (0, 0)
B = np.arange(20).reshape(4, 5) % 7
for y in range(4):  # native
    for x in range(5):
        if B[y, x] == 6:
            place = (y, x)
show("module", place, x, y)
