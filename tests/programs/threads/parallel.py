"""Nests large enough for several threads, with all that must not depend on them."""

import math

import numpy as np
from showing import show


def elementwise(a, b, c):
    for i in range(len(a)):  # native
        c[i] = a[i] * b[i] + math.sqrt(abs(a[i]))
    return c


def rowwise(A, out):
    for i in range(A.shape[0]):  # native
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j] * (j + 1)
        out[i] = s
    return out, s, i, j


def stencil_steps(A, B, steps):
    n, m = A.shape
    for t in range(steps):  # native
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                B[i, j] = 0.2 * (A[i, j] + A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1])
        A, B = B, A
    return A, B


def integer_sum(a):
    s = 0
    n = 0
    for x in a:  # native
        s += int(x)
        if x % 3 == 0:
            n += 1
    return s, n


def numpy_integer_sum(a):
    s = np.int64(0)
    for x in a:  # native
        s += x
    return s


def float_sum(a):
    s = 0.0
    for x in a:  # native
        s += x
    return s


def extremes(a):
    lo = hi = a[0]
    for x in a:  # native
        lo = min(lo, x)
        hi = max(hi, x)
    return lo, hi


def first_largest(a):
    at = 0
    for i in range(len(a)):  # native
        if a[i] > a[at]:
            at = i
    return at


def last_values(a):
    for i in range(len(a)):  # native
        x = a[i] * 2
        if x > 1.5:
            y = x
    return i, x, y


def scatter(idx, out):
    for i in range(len(idx)):  # native
        out[idx[i]] = i
    return out


def histogram(values, bins):
    for v in values:  # native
        bins[v] += 1
    return bins


def triangular(A):
    n = len(A)
    for i in range(n):  # native
        for j in range(i):
            A[i, j] = A[i, j] * 0.5 + i
            A[j, i] = A[i, j]
    return A


def recurrence(a):
    for i in range(1, len(a)):  # native
        a[i] = a[i] + a[i - 1] * 0.5
    return a


def columns(A):
    n, m = A.shape
    for j in range(m):  # native
        for i in range(1, n):
            A[i, j] += A[i - 1, j]
    return A


def matmul(A, B, C):
    for i in range(A.shape[0]):  # native
        for j in range(B.shape[1]):
            s = 0.0
            for k in range(A.shape[1]):
                s += A[i, k] * B[k, j]
            C[i, j] = s
    return C


def matmul_in_place(A, B, C):
    for i in range(A.shape[0]):  # native
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]
    return C


def fails_in_two_places(a, b):
    try:
        for i in range(len(a)):  # native
            b[i] = a[i] // (i - 15_000) + a[i] // (i - 5_000)
    except ZeroDivisionError:
        return i, b
    return None, b


def strided(a):
    for i in range(0, len(a) - 1, 2):  # native
        a[i] = a[i + 1] * 2
    for i in range(len(a) - 1, -1, -3):  # native
        a[i] -= 1
    return a


def escape_counts(n, out):
    for i in range(n):  # native
        for j in range(n):
            x = y = 0.0
            k = 0
            while x * x + y * y < 4.0 and k < 60:
                x, y = x * x - y * y + i * 0.01 - 0.5, 2 * x * y + j * 0.01
                k += 1
            out[i, j] = k
    return out, k


def brief(name, *values):
    out = []
    for v in values:
        if isinstance(v, np.ndarray):
            flat = v.ravel()
            exact = math.fsum((flat.astype(float) * np.cos(np.arange(flat.size))).tolist())
            v = (str(v.dtype), v.shape, exact, flat[:3].tolist())
        out.append(v)
    show(name, *out)


N = 20_000
a = np.sin(np.arange(float(N)))
b = np.cos(np.arange(float(N)))
A = a[:10_000].reshape(100, 100).copy()
brief("elementwise", elementwise(a, b, np.zeros(N)), elementwise(a[::-1], b, np.zeros(2 * N)[::2]))
brief("rowwise", *rowwise(A, np.zeros(100)), *rowwise(A.T, np.zeros(100)))
brief("stencil", *stencil_steps(A.copy(), A.copy(), 7))
brief("sums", *integer_sum(np.arange(N)), numpy_integer_sum(np.arange(N)), float_sum(a))
brief("sums", *integer_sum(list(range(N))), float_sum(np.float32(a)), float_sum(a.tolist()))
brief("extremes", *extremes(a), first_largest(a), *last_values(a))
idx = np.arange(N) * 7919 % N
brief("scatter", scatter(idx, np.zeros(N, dtype=int)), scatter(idx % 100, np.zeros(100, dtype=int)))
brief("histogram", histogram(idx % 37, np.zeros(37, dtype=np.int32)))
brief("triangular", triangular(A.copy()), recurrence(a.copy()), columns(A.copy()))
brief("matmul", matmul(A, A.T, np.zeros((100, 100))), matmul_in_place(A, A.T, np.zeros((100, 100))))
brief("matmul", matmul(np.float32(A), A[:, ::2], np.zeros((100, 50))))
brief("fails", *fails_in_two_places(list(range(N)), np.zeros(N)))
brief("fails", *fails_in_two_places(np.arange(N), np.zeros(N)))
brief("strided", strided(a.copy()), *escape_counts(60, np.zeros((60, 60), dtype=np.int16)))
