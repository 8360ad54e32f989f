"""Rows bound to a name: of arrays, of lists, shared, rebound, left after the loop."""

import numpy as np
from showing import show


def array_rows(A, x):
    out = np.zeros(A.shape[0])
    for i in range(A.shape[0]):  # native
        row = A[i]
        for j in range(len(row)):
            out[i] += row[j] * x[j]
    return out, row


def list_rows(L, x):
    out = [0.0] * len(L)
    for i in range(len(L)):  # native
        r = L[i]
        s = 0.0
        for j in range(len(x)):
            s += r[j] * x[j]
        out[i] = s
    return out, r


def three_rows(L):
    new = [row[:] for row in L]
    for i in range(1, len(L) - 1):  # native
        above, here, below = L[i - 1], L[i], L[i + 1]
        target = new[i]
        for j in range(1, len(here) - 1):
            target[j] = (above[j] + below[j] + here[j - 1] + here[j + 1]) / 4
    return new, above, target


def write_row(A):
    for i in range(len(A)):  # native
        row = A[i]
        for j in range(len(row)):
            row[j] = i * 10 + j
            row[j - 1] += 1
    return A


def row_of_row(A):
    s = 0
    for i in range(len(A)):  # native
        plane = A[i]
        for j in range(len(plane)):
            line = plane[j]
            for k in range(len(line)):
                s += line[k] * (i + j - k)
                line[k] = s
    return A, s


def row_iterated(A):
    s = 0
    for row in A:  # native
        first = row[0]
        for x in row:
            s += x * first
        row[0] = s
    return A, s, first


def two_rows_overlap(A):
    for i in range(1, len(A)):  # native
        up = A[i - 1]
        here = A[i]
        for j in range(1, len(here)):
            here[j] += up[j - 1]
            up[j] -= 1
    return A


def choose(A, flags):
    s = 0
    for i in range(len(flags)):
        if flags[i]:
            row = A[0]
        else:
            row = A[1]
        for j in range(len(row)):
            s += row[j] * (i + 1)
    return s, row


def changing_row(A):
    row = A[0]
    s = 0
    for i in range(1, len(A)):
        for j in range(len(row)):
            s += row[j] * i
        row = A[i]
    return s, row


def best_row(A):
    best = A[0]
    for row in A:
        if row[0] > best[0]:
            best = row
    return best


def rows_replaced(L):
    for i in range(len(L)):
        L[i] = [i] * 3
    return L


def rows_exchanged(L):
    for i in range(len(L) // 2):
        L[i], L[-1 - i] = L[-1 - i], L[i]
    return L


def gauss(A):
    n = len(A)
    for k in range(n):  # native
        pivot = A[k]
        for i in range(k + 1, n):
            row = A[i]
            factor = row[k] / pivot[k]
            for j in range(k, n):
                row[j] -= factor * pivot[j]
    return A, pivot


def column_of_rows(A):
    s = 0
    for j in range(len(A[0])):  # native
        for row in A:
            s = s * 2 % 1000003 + row[j]
    return s, row


A = np.arange(12.0).reshape(3, 4)
L = A.tolist()
ints = np.arange(12).reshape(3, 4)
show("array", *array_rows(A, [1.0, 2.0, 0.5, -1.0]), *list_rows(L, [1.0, 2.0, 0.5, -1.0]))
show("array", *array_rows(A.T, np.ones(3)), *list_rows(A, [1, 2, 3, 4]))
out, row = array_rows(A, [0, 0, 0, 0])
row[0] = 99
show("view", A, row.base is not None, row.flags.owndata)
A[2, 0] = 8
G = (np.arange(25.0).reshape(5, 5) ** 2).tolist()
show("three", *three_rows(G), *three_rows(np.array(G)))
show("write", write_row(np.zeros((3, 4))), write_row([[0] * 3, [0] * 3]))
show("row_of_row", *row_of_row(np.arange(12).reshape(2, 3, 2)))
show("row_of_row", *row_of_row(np.arange(12).reshape(2, 3, 2).tolist()))
show("iterated", *row_iterated(ints.copy()), *row_iterated(ints.tolist()), *row_iterated(A[::-1].T))
show("overlap", two_rows_overlap(ints.copy()), two_rows_overlap(ints.tolist()))
show("choose", *choose(A, [True, False, True]), *choose(L, [0, 1]))
show("changing", *changing_row(A), *changing_row(L))
show("best", best_row(A), best_row(L))
twice = [0.5, 1.5, 2.5]
show("shared", *row_iterated([twice, twice]), twice, write_row([twice, [0.0] * 3, twice]), twice)
show("shared", three_rows([twice] * 4)[0], gauss([[2.0, 1.0], [4.0, 5.0]])[0])
show("gauss", *gauss(np.array([[4.0, 1, 2], [1, 5, 3], [2, 3, 6]])))
show("column", *column_of_rows(ints), *column_of_rows(ints.tolist()))
show("moved", rows_replaced([[0], [1]]), rows_exchanged([[0], [1], [2]]))
