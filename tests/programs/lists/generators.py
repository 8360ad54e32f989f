"""Builtins over generator expressions and list comprehensions inside nests."""

import numpy as np


def products(A, x, y):
    for i in range(len(y)):  # native
        y[i] = sum(A[i][j] * x[j] for j in range(len(x)))
    return y


def skipped(A, x, b):
    for i in range(len(b)):  # native
        s = sum(A[i][j] * x[j] for j in range(len(x)) if j != i)
        x[i] = (b[i] - s) / A[i][i]
    return x


def pairs(rows, w):
    t = 0
    for row in rows:  # native
        t += sum(a * b for a, b in zip(row, w))
    return t


def extremes(rows):
    s = 0
    for i in range(len(rows)):  # native
        s += max(abs(v) for v in rows[i]) - min([v * v for v in rows[i]])
    return s


def some(rows, k):
    n = m = 0
    for row in rows:  # native
        if any(v > k for v in row):
            n += 1
        if all(v != k for v in row):
            m += 1
    return n, m


def own_names(n):
    j = 5
    s = 0
    for i in range(n):  # native
        s += sum(j * j for j in range(i)) + j
        s += sum(i for i in range(3)) * i
    return s, i, j


def empty(rows):
    s = 0
    for row in rows:
        s += max(v for v in row)
    return s


def nested(n):
    s = 0
    for i in range(n):  # native
        s += sum(sum(k * j for k in range(j)) for j in range(i))
    return s


L = [[1.5, -2.0, 3.25], [0.5, 4.0, -1.0], [2.0, 1.0, 8.0]]
A = np.array(L)
print(products(L, [1.0, 2.0, 3.0], [0.0] * 3), products(A, np.arange(3.0), np.zeros(3)))
print(skipped(L, [0.0] * 3, [1.0, 2.0, 3.0]), skipped(A, np.zeros(3), np.ones(3)))
print(pairs(L, [1, 2, 3]), pairs([[1, 2], [3, 4]], [5, 6]), pairs(A, np.arange(3)))
print(extremes(L), extremes(A), extremes([[3, -4], [5, 6]]))
print(some(L, 3), some(A, 0.5), some([[1, 2], [3, 3]], 3), some([], 1))
print(own_names(6), nested(7))
try:
    empty([[1], []])
except ValueError as error:
    print(error)
try:
    empty(np.zeros((2, 0)))
except ValueError as error:
    print(error)
