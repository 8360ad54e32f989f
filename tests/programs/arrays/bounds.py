"""Bounds of loops that read arrays, take lengths of rows, and convert floats."""

import math

import numpy as np


def cols(A):
    t = 0.0
    for j in range(len(A[0])):  # native
        for i in range(len(A)):
            t += A[i][j]
    return t


def cols2(A):
    t = 0.0
    for j in range(A[0].shape[0]):  # native
        for i in range(A.shape[0]):
            t += A[i, j]
    return t


def rowlen(A):
    t = 0
    for i in range(len(A)):  # native
        for j in range(len(A[i])):
            t += A[i][j] * j
    return t


def csr(ptr, idx, val, x, n):
    s = 0.0
    for k in range(ptr[0], ptr[n]):  # native
        s += val[k] * x[idx[k]]
    return s, k


def half(a, n):
    s = 0
    for i in range(int(n / 2)):  # native
        s += a[i]
    for i in range(abs(-n) // 2, min(n, 100)):  # native
        s += a[i] * i
    for i in range(2, int(math.sqrt(n)) + 1):  # native
        s += i
    for i in range(round(n * 0.7)):  # native
        s -= i
    for i in range(2**3, max(n, 9)):  # native
        s += 7
    for i in range(int(n**0.5)):  # native
        if i == 2:
            break
    else:
        s += 5
    return s, i


def steps(T, dt):
    t = 0.0
    for k in range(int(T / dt)):  # native
        t += dt * k
    for k in range(round(T)):  # native
        t -= k
    return t


def csr0(ptr):
    for k in range(ptr[0], ptr[0]):
        z = k
    return "ok"


A = np.arange(48.0).reshape(6, 8)
L = A.tolist()
print(cols(L), cols2(A), cols(A), rowlen(L), rowlen(A))
ptr, idx = [0, 2, 4], [0, 1, 1, 2]
val, x = [1.0, 2, 3, 4], [1.0, 2, 3]
print(csr(np.array(ptr), np.array(idx), np.array(val), np.array(x), 2))
print(csr(ptr, idx, val, x, 2), csr0([3]), csr0(np.array([3])))
for empty in ([], np.zeros((0, 3))):
    try:
        cols(empty)
    except IndexError as error:
        print(error)
print(half(np.arange(20), 17), half(list(range(20)), 17))


def stepped(T):
    try:
        print(T, steps(T, 0.25), steps(T, 0.5))
    except ValueError as error:
        print(error)


list(map(stepped, (2.0, 3.0, 2.0, 0.0, 2.5, float("nan"))))
