"""Nests of many depths and shapes: perfect, imperfect, triangular, with scalars between."""

import numpy as np
from showing import show


def matmul(A, B, C):
    for i in range(A.shape[0]):  # native
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]
    return C


def matmul_scalar(A, B, C):
    for i in range(len(A)):  # native
        for j in range(len(B[0])):
            s = 0.0
            for k in range(len(B)):
                s += A[i][k] * B[k][j]
            C[i][j] = s
    return C, s


def four_deep(A, w):
    n, m = A.shape
    out = np.zeros((n - 2, m - 2))
    for i in range(n - 2):  # native
        for j in range(m - 2):
            for p in range(3):
                for q in range(3):
                    out[i, j] += A[i + p, j + q] * w[p][q]
    return out, i, j, p, q


def six_deep():
    s = 0
    for a in range(2):  # native
        for b in range(3):
            for c in range(2):
                for d in range(3):
                    for e in range(2):
                        for f in range(3):
                            s += (a + 1) * (b + 2) * (c + 3) - d * e * f
    return s, a, b, c, d, e, f


def lower_upper(A):
    n = len(A)
    for k in range(n):  # native
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    return A


def cholesky(A):
    n = A.shape[0]
    for j in range(n):  # native
        s = A[j, j]
        for k in range(j):
            s -= A[j, k] * A[j, k]
        A[j, j] = s**0.5
        for i in range(j + 1, n):
            t = A[i, j]
            for k in range(j):
                t -= A[i, k] * A[j, k]
            A[i, j] = t / A[j, j]
    return A


def imperfect(A, x, y):
    best = -1e300
    where = -1
    for i in range(A.shape[0]):  # native
        x[i] = 0.0
        for j in range(A.shape[1]):
            x[i] += A[i, j]
        x[i] /= A.shape[1]
        for j in range(A.shape[1]):
            y[j] += A[i, j] - x[i]
        if x[i] > best:
            best = x[i]
            where = i
    return x, y, best, where


def wavefront(A):
    n, m = A.shape
    for i in range(1, n):  # native
        for j in range(1, m):
            A[i, j] = (A[i - 1, j] + A[i, j - 1] + A[i - 1, j - 1]) % 1000
    return A


def in_place_stencil(A, steps):
    n, m = A.shape
    for t in range(steps):  # native
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                A[i, j] = 0.25 * (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1])
    return A, t


def two_loops_inside(a, b, steps):
    for t in range(steps):  # native
        for i in range(1, len(a) - 1):
            b[i] = a[i - 1] - 2.0 * a[i] + a[i + 1]
        for i in range(len(a)):
            a[i] += 0.1 * b[i]
    return a, b, i, t


def transposed(A, B):
    n, m = A.shape
    for i in range(n):  # native
        for j in range(m):
            B[j, i] = A[i, j]
    for i in range(n):  # native
        for j in range(i):
            A[i, j], A[j, i] = A[j, i], A[i, j]
    return A, B


def prefix_sums(A):
    n, m = A.shape
    for i in range(n):  # native
        for j in range(1, m):
            A[i, j] += A[i, j - 1]
    for j in range(m):  # native
        for i in range(1, n):
            A[i, j] += A[i - 1, j]
    return A


def histogram(values, bins):
    for v in values:  # native
        bins[v % len(bins)] += 1
    return bins


def gather_scatter(a, idx, out):
    for i in range(len(idx)):  # native
        out[idx[i]] = a[idx[i]] + i
    for i in range(len(idx)):  # native
        out[i] += a[idx[idx[i]]]
    return out


def csr(ptr, col, val, x, y):
    for i in range(len(ptr) - 1):  # native
        s = 0.0
        for p in range(ptr[i], ptr[i + 1]):
            s += val[p] * x[col[p]]
        y[i] = s
    return y, s


A = np.cos(np.arange(63.0)).reshape(7, 9)
B = np.sin(np.arange(72.0)).reshape(9, 8)
show("matmul", matmul(A, B, np.zeros((7, 8))))
show("matmul_scalar", *matmul_scalar(A, B, np.zeros((7, 8))))
show("matmul_scalar", *matmul_scalar(A.tolist(), B.tolist(), np.zeros((7, 8)).tolist()))
show("four_deep", *four_deep(A, [[1.0, 2.0, 1.0], [0.5, -3.0, 0.5], [1.0, 2.0, 1.0]]))
show("six_deep", *six_deep())
S = np.cos(np.arange(64.0)).reshape(8, 8)
S = S @ S.T + 9 * np.eye(8)
show("lower_upper", lower_upper(S.copy()))
show("cholesky", cholesky(S.copy()))
show("imperfect", *imperfect(A, np.zeros(7), np.zeros(9)))
show("wavefront", wavefront(np.arange(56).reshape(7, 8) % 13))
show("in_place_stencil", *in_place_stencil(A.copy(), 4))
show("two_loops", *two_loops_inside(A.ravel().copy(), np.zeros(63), 5))
show("transposed", *transposed(S.copy(), np.zeros((8, 8))))
show("prefix_sums", prefix_sums(np.arange(30).reshape(5, 6) * 7 % 11))
show("histogram", histogram(np.arange(100) * 37 % 61, np.zeros(16, dtype=np.int64)))
show("histogram", histogram([k * k for k in range(50)], [0] * 7))
idx = np.arange(12) * 5 % 12
show("gather_scatter", gather_scatter(np.arange(12.0), idx, np.zeros(12)))
show("gather_scatter", gather_scatter(list(range(12)), idx.tolist(), [0] * 12))
ptr = np.array([0, 2, 2, 5, 6, 9], dtype=np.int32)
col = np.array([0, 3, 1, 2, 4, 0, 2, 3, 4], dtype=np.int32)
show("csr", *csr(ptr, col, B.ravel()[:9], np.arange(5.0), np.zeros(5)))
show("csr", *csr(ptr.tolist(), col.tolist(), B.ravel()[:9].tolist(), [1.5] * 5, [0.0] * 5))
