"""Loops that run zero times or cannot run: nothing is touched, nothing changes its type."""

import numpy as np
from showing import attempt, show


def accumulate(a, n):
    s = 0.0
    for i in range(n):  # native
        s += a[i]
    return s


def count(a, n):
    s = 0
    for i in range(n):  # native
        s += a[i]
    return s


def unassigned(n):
    for i in range(n):  # native
        last = i * 2
    return last, i


def kept(n):
    i = "before"
    last = [1, 2]
    for i in range(n):  # native
        last = i
    return i, last


def backwards(a, start, stop, step):
    x = -1
    for i in range(start, stop, step):  # native
        x = a[i]
        a[i] = 0
    return x, a


def inner_empty(A, n):
    s = 0.0
    j = None
    for i in range(A.shape[0]):
        for j in range(n, 0):
            s += A[i, j]
        s += i
    return s, j, i


def triangular_from_zero(A):
    s = 0.0
    for i in range(A.shape[0]):  # native
        for j in range(i):
            s += A[i, j]
    return s, i, j


def over_empty(xs):
    s = 0
    for x in xs:
        s += x
    return s


def empty_matrix(A):
    s = 0.0
    for row in A:
        for x in row:
            s += x
    return s


def never(a, n):
    while n > 0:  # native
        a[n] = n
        n -= 1
    else:
        n = 77
    return n, a


def with_else(n):
    for i in range(n):  # native
        if i == 5:
            found = 1
            break
    else:
        found = 0
    return found


def step_zero(a, step):
    for i in range(0, 10, step):  # native
        a[i] = 1
    return a


def step_zero_inside(a, step):
    for i in range(3):
        a[i] += 1
        for j in range(0, 4, step - i):
            a[j] += 10
    return a


def float_bound(n):
    s = 0
    for i in range(n):
        s += i
    return s


a32 = np.arange(5, dtype=np.float32)
i8 = np.arange(5, dtype=np.int8)
for n in (0, -3, 4, 1):
    show("accumulate", accumulate(a32, n), accumulate(a32.astype(np.float64), n))
    show("count", count(i8, n), count(a32, n), count([1, 2, 3, 4, 5], n))
    attempt(unassigned, n)
    show("kept", *kept(n))
for args in [(5, 0, 1), (0, 5, -1), (3, 3, 1), (4, -1, -1), (0, 0, -7), (0, 5, 2)]:
    show("backwards", args, *backwards(np.arange(1, 7), *args))
show("inner_empty", *inner_empty(np.ones((3, 4)), 2))
show("inner_empty", *inner_empty(np.ones((3, 4)), -2))
show("triangular", *triangular_from_zero(np.ones((5, 5))))
show("over_empty", over_empty([]), over_empty(np.zeros(0)), over_empty(()), over_empty(b""))
show("empty_matrix", empty_matrix(np.zeros((0, 3))), empty_matrix(np.zeros((3, 0))))
show("empty_matrix", empty_matrix([]), empty_matrix([[], [], []]))
show("never", *never(np.zeros(4), 0), *never(np.zeros(4), 3))
show("with_else", with_else(0), with_else(5), with_else(6), with_else(-1))
for step in (2, 0):
    attempt(step_zero, np.zeros(10), step)
x = np.zeros(6)
attempt(step_zero_inside, x, 2)
show("partial", x)
attempt(float_bound, 3.0)
attempt(float_bound, np.float64(3.0))
attempt(float_bound, "3")
