import numpy as np


def columns(a, b, n, m):
    for j in range(m):
        for i in range(n):
            b[i, j] = a[i, j] * 2.0 + b[i, j]
    return i, j


def down(a, n, m):
    for j in range(m):
        for i in range(1, n):
            a[i, j] = a[i - 1, j] * 0.5 + a[i, j]


def crossed(a, n, m):
    for j in range(1, m):
        for i in range(n - 1):
            a[i, j] = a[i + 1, j - 1] * 0.5 + a[i, j]


rng = np.random.default_rng(6)
p, q = rng.random((300, 400)), rng.random((300, 400))
print(columns(p, q, 300, 400), q.sum().hex())
down(q, 300, 400)
print(q.sum().hex())
crossed(q, 300, 400)
print(q.sum().hex())
