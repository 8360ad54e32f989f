"""`for` over arrays, lists, rows, enumerate, zip and reversed."""

import numpy as np
from showing import show


def elements(a):
    s = 0
    for x in a:  # native
        s = s + x * x
    return s, x


def enumerated(a, b):
    for i, x in enumerate(a):  # native
        b[i] = x * 2 + i
    for i, x in enumerate(a, 1):  # native
        b[i - 1] += i
    for k, x in enumerate(b, start=5):  # native
        a[k - 5] = x - k
    return a, b, i, k, x


def zipped(a, b, c):
    s = 0
    for x, y in zip(a, b):  # native
        s = s + x * y
    for x, y, z in zip(a, b, c):  # native
        s = s + (x - y) * z
    return s, x, y, z


def unequal(a, b):
    n = 0
    s = 0
    for x, y in zip(a, b):  # native
        n += 1
        s = s + x + y
    return n, s, x, y


def reverse(a):
    s = 0
    for x in reversed(a):  # native
        s = s * 3 % 1000003 + x
    for i in reversed(range(len(a))):  # native
        s = s + i * a[i]
    for i in reversed(range(1, 20, 3)):  # native
        s = s + i
    return s, x, i


def nested_wrappers(a, b):
    s = 0
    for i, (x, y) in enumerate(zip(a, b)):  # native
        s = s + i * x - y
    for i, x in zip(range(3, 100), a):  # native
        s = s + i * x
    for (i, x), y in zip(enumerate(a), b):  # native
        s = s + i + x + y
    for x, i in zip(reversed(a), range(len(b))):  # native
        s = s + x * b[i]
    return s, i, x, y


def rows(A):
    s = 0.0
    for row in A:  # native
        for x in row:
            s += x
    for i, row in enumerate(A):  # native
        for j, x in enumerate(row):
            s += i * x - j
    return s, x, i, j


def row_pairs(A, B):
    s = 0.0
    for r, q in zip(A, B):  # native
        for x, y in zip(r, q):
            s += x * y
        r[0] = s
    return A, s


def reversed_rows(A):
    t = 0.0
    for row in reversed(A):  # native
        for k in range(len(row)):
            t = t * 0.5 + row[k]
    return t, k


def rows_by_index(A):
    t = 0.0
    for i in range(len(A)):  # native
        for x in A[i]:
            t += x
        for x in reversed(A[i]):
            t = t * 0.9 - x
    return t


def one_range_twice(n):
    r = range(n)
    s = 0
    for i in r:
        for j in r:
            s += i * j
    return s


def while_written(a):
    # An element written before the loop comes to it is seen; one behind it is not.
    s = 0
    i = 0
    for x in a:  # native
        s += x
        if i + 1 < len(a):
            a[i + 1] += 1
        a[i] = -1
        i += 1
    return s, a


ints = np.arange(-10, 15) * 3
floats = np.linspace(-2.0, 7.0, 25)
show("elements", *elements(ints), *elements(floats))
show("elements", *elements(ints.tolist()), *elements(floats.tolist()))
show("elements", *elements(np.float32(floats)), *elements(np.float32(floats)[::-2]))
show("enumerated", *enumerated(floats.copy(), np.zeros(25)))
show("enumerated", *enumerated(floats.tolist(), [0.0] * 25))
show("zipped", *zipped(ints, floats, floats[::-1]))
show("zipped", *zipped(ints.tolist(), floats.tolist(), floats[::-1]))
show("unequal", *unequal(ints[:7], floats), *unequal(ints, floats[:9]))
show("unequal", *unequal(ints.tolist(), floats.tolist()[:3]))
show("reverse", *reverse(ints), *reverse(ints.tolist()))
show("nested", *nested_wrappers(ints, floats), *nested_wrappers(floats.tolist(), ints.tolist()))
A = np.sin(np.arange(24.0)).reshape(4, 6)
show("rows", *rows(A), *rows(A.tolist()), *rows(A.T))
show("row_pairs", *row_pairs(A.copy(), A[::-1]), *row_pairs(A.tolist(), A[::-1].tolist()))
show("reversed_rows", *reversed_rows(A), *reversed_rows(A.tolist()))
show("rows_by_index", rows_by_index(A), rows_by_index(A.tolist()))
show("one_range_twice", one_range_twice(9))
show("while_written", *while_written(np.arange(20)), *while_written(list(range(20))))
