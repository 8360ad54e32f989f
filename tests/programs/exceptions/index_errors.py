"""Indices out of range: the exception, its line, and what was written before it."""

import traceback

import numpy as np
from showing import attempt, show


def read_past(a, n):
    s = 0
    for i in range(n):  # native
        s += a[i]
    return s


def write_past(a, n):
    for i in range(n):  # native
        a[i] = i * 2
    return a


def neighbour(a, b):
    for i in range(len(a)):  # native
        b[i] = a[i]
        b[i] += a[i + 1]
    return b


def second_axis(A, m):
    for i in range(A.shape[0]):  # native
        for j in range(m):
            A[i, j] = i + j
    return A


def first_axis(A, n):
    for i in range(n):  # native
        for j in range(A.shape[1]):
            A[i, j] += 1
    return A


def far_negative(a):
    for i in range(2 * len(a)):  # native
        a[-i] = i
    return a


def indirect(a, idx):
    for k in range(len(idx)):  # native
        a[idx[k]] += k
    return a


def two_arrays(a, b):
    for i in range(len(a)):  # native
        a[i] = -1
        b[i] = -2
    return a, b


def in_condition(a):
    n = 0
    i = 0
    while a[i] > 0:  # native
        n += a[i]
        a[i] = 0
        i += 2
    return n


def rows_past(L):
    for i in range(4):  # native
        for j in range(2):
            L[i][j] = 7
    return L


def in_order(a, b, way):
    # Whichever operand fails first decides the message.
    for i in range(3):  # native
        if way == 0:
            a[i] = b[i + 5]
        elif way == 1:
            a[i + 5] = b[i]
        else:
            a[i + 5] = b[i + 5]
    return a


def return_past(a, k):
    for i in range(10):  # native
        if a[i] == k:
            return a[i + 1]
    return None


def live_outs(a, n):
    s = k = 0
    i = j = -1
    try:
        for i in range(n):  # native
            k = i * 2
            for j in range(3):
                s += a[i + j]
    except IndexError as error:
        message = str(error)
    return s, k, i, j, message


def nested_functions_raise(a):
    def get(i):
        return a[i]

    s = 0
    for i in range(9):
        s += get(i)
    return s


def zip_is_short(a, b):
    for i, (x, y) in enumerate(zip(a, b)):  # native
        a[i] = x + b[i + 1]
    return a


def read_only_row(L, k):
    s = 0
    for i in range(3):  # native
        s += L[k][i]
    return s


def text_past(s, n):
    h = 0
    for i in range(n):  # native
        if s[i] == "a":
            h += 1
    return h


def bytes_past(s, n):
    h = 0
    for i in range(n):  # native
        h += s[i]
    return h


def tuple_past(t, n):
    h = 0
    for i in range(n):  # native
        h += t[i]
    return h


a = np.arange(6)
l = list(range(6))
for x in (a, l):
    copy = x.copy()
    attempt(read_past, copy, 6)
    attempt(read_past, copy, 7)
    attempt(write_past, copy, 5)
    attempt(write_past, copy, 9)
    show("written", copy)
    b = x.copy()
    attempt(neighbour, copy, b)
    show("written", b)
    attempt(far_negative, copy)
    show("written", copy)
    attempt(indirect, copy, [0, 5, -6, 6, 1])
    attempt(indirect, copy, [0, 5, -7, 6, 1])
    attempt(indirect, copy, np.array([3, 99]))
    show("written", copy)
    short = x.copy()[:4]
    attempt(two_arrays, copy, short)
    show("written", copy, short)
    y = x.copy() + 1 if isinstance(x, np.ndarray) else [v + 1 for v in x]
    attempt(in_condition, y)
    show("written", y)
    for way in range(3):
        attempt(in_order, x.copy(), x.copy()[:5], way)
    attempt(return_past, x, 4)
    attempt(return_past, x, 5)
    attempt(return_past, x, 77)
    show("live", *live_outs(x, 10))
    attempt(nested_functions_raise, x)
    attempt(zip_is_short, x.copy(), x.copy()[:3])
A = np.zeros((3, 4), dtype=np.int32)
attempt(second_axis, A, 4)
attempt(second_axis, A, 5)
attempt(first_axis, A, 3)
attempt(first_axis, A, 4)
show("A", A)
L = [[1, 2], [3, 4], [5, 6]]
attempt(rows_past, L)
show("L", L)
attempt(read_only_row, L, 1)
attempt(read_only_row, L, 9)
attempt(read_only_row, L, -4)
attempt(text_past, "banana", 6)
attempt(text_past, "banana", 7)
attempt(bytes_past, b"banana", 7)
attempt(tuple_past, (1, 2, 3), 4)
try:
    write_past(np.zeros(3), 4)
except IndexError:
    traceback.print_exc()
try:
    rows_past([[1, 2], [3]])
except IndexError:
    traceback.print_exc()
