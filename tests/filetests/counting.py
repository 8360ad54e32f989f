import numpy as np


def spread(a, b, k):
    for i in range(len(b)):
        a[k] = b[i] * 2.0 + 1.0
        k += 2
    return k


def thinned(a, b):
    k = 0
    for i in range(0, len(b), 2):
        a[k] = b[i]
        k += 1
    return k


def flattened(out, m):
    k = 0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            out[k] = m[i, j] * 0.5
            k += 1
    return k


def reversed_in_place(a):
    low, high = 0, len(a) - 1
    for _ in range(len(a) // 2):
        a[low], a[high] = a[high], a[low]
        low += 1
        high -= 1


def kept(a, b):
    k = 0
    for i in range(len(b)):
        if b[i] > 0.5:
            a[k] = b[i]
            k += 1
    return k


def running(a, n):
    k = 1
    for _ in range(n):
        a[k] = a[k - 1] + 1.0
        k += 1


def growing(a, k):
    for i in range(len(a)):
        a[i] = k & 7
        k += 1 << 50


b = np.arange(60_000.0) % 37 / 30
a = np.zeros(120_010)
print(spread(a, b, 3), a.sum().hex())
print(thinned(a, b), a.sum().hex())
print(flattened(a, b.reshape(200, 300)), a.sum().hex())
reversed_in_place(a)
print(kept(a, b), a.sum().hex())
running(a, 100_000)
print(a.sum().hex())
cells = np.zeros(20_000, dtype=np.int64)
growing(cells, 5)
print(cells.sum())
