"""Loops over tuple and list displays inside nests: neighbours by offsets."""

import numpy as np

MOVES = ((0, 1), (1, 0), (-1, 0), (0, -1))
OFF = (-1, 0, 1)


def nb(A):
    n, m = A.shape
    out = np.zeros((n, m))
    for i in range(1, n - 1):  # native
        for j in range(1, m - 1):
            s = 0.0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di == 0 and dj == 0:
                        continue
                    s += A[i + di, j + dj]
            out[i, j] = s
    return out, di, dj


def nb2(A):
    n = len(A)
    m = len(A[0])
    c = [[0] * m for _ in range(n)]
    for i in range(n):  # native
        for j in range(m):
            for dx, dy in MOVES:
                x = i + dx
                y = j + dy
                if 0 <= x < n and 0 <= y < m:
                    c[i][j] += A[x][y]
    return c, dx, dy


def nb3(a):
    s = 0
    for i in range(1, len(a) - 1):  # native
        for d in OFF:
            s += a[i + d] * d
        for w, d in [(2, -1), (3, 1)]:
            if a[i + d] > 5:
                break
            s += w * a[i + d]
        else:
            s += 1000
    return s


A = np.arange(48.0).reshape(6, 8)
print(nb(A))
print(nb2([[int(x) for x in r] for r in A.tolist()]))
print(nb3(np.arange(9)), nb3([1, 2, 3, 9, 8, 1]), nb3([0.5, 2.0, 1.5, 9.5]))
