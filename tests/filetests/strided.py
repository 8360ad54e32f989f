import numpy as np


def odd_from_even(a, n):
    for i in range(n):
        a[2 * i + 1] = a[2 * i] + 1.0


def every_third(a, n):
    for i in range(n):
        a[3 * i] = a[2 * i + 1] + 1.0


def blocks(a, n, w):
    for i in range(n):
        for j in range(w):
            a[i * w + j] = i - 0.5 * j


a = np.arange(60_000.0)
odd_from_even(a, 20_000)
every_third(a, 15_000)
blocks(a, 200, 150)
print(a.sum().hex())
