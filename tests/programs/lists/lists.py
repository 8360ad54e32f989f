"""Lists and lists of lists of int, float and bool: what is replaced and what stays."""

import numpy as np
from showing import attempt, show


def copy(a, b):
    for i in range(len(a)):  # native
        b[i] = a[i]
    return b


def double(a):
    for i in range(len(a)):  # native
        a[i] = a[i] * 2
    return a


def running_sum(a):
    for i in range(1, len(a)):  # native
        a[i] += a[i - 1]
    return a


def bools_from(a, flags):
    for i in range(len(a)):  # native
        flags[i] = a[i] > 2
    return flags


def not_flags(flags):
    n = 0
    for i in range(len(flags)):  # native
        flags[i] = not flags[i]
        n += flags[i]
    return flags, n


def sieve(n):
    prime = [True] * (n + 1)
    prime[0] = prime[1] = False
    for p in range(2, n + 1):  # native
        if prime[p]:
            for k in range(p * p, n + 1, p):
                prime[k] = False
    count = 0
    for p in range(n + 1):  # native
        if prime[p]:
            count += 1
    return count, prime


def matrix(A, B, C):
    for i in range(len(A)):  # native
        for j in range(len(B[0])):
            for k in range(len(B)):
                C[i][j] += A[i][k] * B[k][j]
    return C


def transpose_in_place(A):
    for i in range(len(A)):  # native
        for j in range(i):
            A[i][j], A[j][i] = A[j][i], A[i][j]
    return A


def pascal(n):
    rows = [[0] * (n + 1) for _ in range(n + 1)]
    for i in range(n + 1):  # native
        rows[i][0] = 1
        for j in range(1, i + 1):
            rows[i][j] = rows[i - 1][j - 1] + rows[i - 1][j]
    return rows[n]


def life(cells, new):
    h, w = len(cells), len(cells[0])
    for y in range(h):
        for x in range(w):
            n = 0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if dy or dx:
                        n += cells[(y + dy) % h][(x + dx) % w]
            new[y][x] = n == 3 or (cells[y][x] and n == 2)
    return new


def bubble(a):
    n = len(a)
    for i in range(n):  # native
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


def counts(values, size):
    bins = [0] * size
    for v in values:  # native
        bins[v % size] += 1
    return bins


def some_written(a, k):
    for i in range(0, len(a), k):  # native
        a[i] = -1
    return a


def branch_written(a):
    for i in range(len(a)):  # native
        if a[i] > 3:
            a[i] = 0
    return a


def numpy_into_list(a, l):
    for i in range(len(a)):
        l[i] = a[i]
    return l


def list_into_numpy(l, a):
    for i in range(len(a)):  # native
        a[i] = l[i] * 2
    return a


def append_after(a):
    s = 0
    for x in a:  # native
        s += x
    a.append(s)
    for x in a:  # native
        s += x
    return a, s


def grows(a):
    n = 0
    for x in a:
        if n < 20:
            a.append(x + 1)
        n += 1
    return n, a


def shrinks(a):
    n = 0
    for x in a:
        a.pop()
        n += x
    return n, a


def large_elements(a):
    s = 0
    for x in a:
        s += x % 10
    return s


def other_elements(a):
    s = 0
    for x in a:
        s = x if not s else s
    return s


def ragged(rows):
    s = 0
    for i in range(len(rows)):
        for j in range(len(rows[i])):
            s += rows[i][j]
            rows[i][j] = s
    return rows, s


def ragged_rows(rows):
    s = 0
    for row in rows:
        for x in row:
            s += x
    return s


def list_equal(a, b):
    n = 0
    for i in range(len(a)):
        if a[i] == b[i]:
            n += 1
    return n


def empty_rows(rows):
    s = 0
    for row in rows:
        for x in row:
            s += x
        s += 1
    return s


ints = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
floats = [x * 0.75 for x in ints]
bools = [x > 3 for x in ints]
for a in (ints, floats, bools):
    show(
        "copy", copy(a, [0] * 10), copy(a, [0.0] * 10), copy(a, [False] * 10), copy(a, [None] * 10)
    )
    show("double", double(a[:]), running_sum(a[:]), bubble(a[:]), some_written(a[:], 3))
    show("branch", branch_written(a[:]), list_into_numpy(a, np.zeros(10)))
    show("append", *append_after(a[:]), *grows(a[:]), *shrinks(a[:]))
show("bools", bools_from(ints, [False] * 10), *not_flags(bools[:]), *sieve(100))
A = [[1, 2], [3, 4], [5, 6]]
B = [[1.5, 2.0, 0.5], [1.0, -1.0, 3.0]]
show("matrix", matrix(A, B, [[0.0] * 3 for _ in range(3)]), matrix(A, A[:2], [[0] * 2 for _ in A]))
show("transpose", transpose_in_place([[1, 2, 3], [4, 5, 6], [7, 8, 9]]))
show("pascal", pascal(40), pascal(70))
glider = [[0] * 8 for _ in range(8)]
glider[1][2] = glider[2][3] = glider[3][1] = glider[3][2] = glider[3][3] = 1
show("life", life(glider, [[0] * 8 for _ in range(8)]))
show("counts", counts(ints, 4), counts([-5, 7, 10**15], 3))
show(
    "numpy",
    numpy_into_list(np.array(ints), [0] * 10),
    numpy_into_list(np.float32(floats), [0] * 10),
)
show("large", large_elements([1, 2**70, 3]), large_elements([2**63, 5]), large_elements([2**62]))
show("other", other_elements(["a", 2]), other_elements([None, 3]), other_elements([1 + 2j]))
show("ragged", *ragged([[1, 2], [3], [4, 5, 6]]), ragged_rows([[1], [2.5, 3], []]))
attempt(ragged, [[1, 2], 3])
attempt(ragged_rows, [[1], None])
show("equal", list_equal([1, 2.0, True], [1.0, 2, 1]), empty_rows([[], []]), empty_rows([[1], []]))
