"""Lanes that leave a loop one by one, skip, or add to sums in order; their last, partial vector."""

import math

import numpy as np
from showing import show


def first_above(a, t, out):
    for i in range(a.shape[0]):  # native
        k = -1
        for j in range(a.shape[1]):
            if a[i, j] > t:
                k = j
                break
        out[i] = k
    return k


def newton(x, out, it):
    for i in range(len(x)):  # native
        v = x[i]
        g = v
        n = 0
        while abs(g * g - v) > 1e-12 * v and n < 60:
            g = 0.5 * (g + v / g)
            n += 1
        out[i] = g
        it[i] = n


def gcds(a, b, out):
    for i in range(len(a)):  # native
        x = a[i]
        y = b[i]
        while y != 0:
            x, y = y, x % y
        out[i] = x


def minplus(d, w):
    n = d.shape[0]
    for i in range(n):
        for j in range(n):
            t = d[i, 0] + w[0, j]
            if t < d[i, j]:
                d[i, j] = t


def energy(p, q):
    e = 0.0
    s = 0.0
    for i in range(len(p)):  # native
        for j in range(len(p)):
            if i != j:
                dx = p[i] - p[j]
                r = math.sqrt(dx * dx + 0.1)
                e += q[i] * q[j] / r
                s -= r * r * 0.5 + dx / r
    return e, s


def f32sum(a):
    s = np.float32(0)
    for i in range(len(a)):  # native
        s += np.sqrt(a[i]) / (a[i] + np.float32(1)) * np.float32(3) / (a[i] * a[i] + np.float32(2))
    return s


def skip(a, b, m):
    for i in range(a.shape[0]):  # native
        acc = 0.0
        for j in range(a.shape[1]):
            if m[j]:
                continue
            acc = acc + a[i, j] / (1.0 + b[j] * b[j]) * math.sqrt(b[j])
        a[i, 0] = acc
    return j


def lst(xs):
    t = 0.0
    for x in xs:  # native
        t += math.sqrt(x * x + 1.0) / (x + 2.0) / (x + 3.0)
    return t


RANDOM = np.random.default_rng(5)

for size in (1, 7, 16, 37, 101):
    grid, found = RANDOM.random((size, 53)), np.zeros(size, int)
    show(first_above(grid, 0.97, found), found)
    x, roots, steps = RANDOM.random(size) * 50 + 0.1, np.zeros(size), np.zeros(size, int)
    newton(x, roots, steps)
    show(roots, steps)
    a, b = RANDOM.integers(1, 10**9, size), RANDOM.integers(1, 10**9, size)
    divisors = np.zeros(size, np.int64)
    gcds(a, b, divisors)
    show(divisors)
    distances = RANDOM.integers(0, 1000, (size, size))
    minplus(distances, RANDOM.integers(0, 900, (size, size)))
    show(distances)
    show(energy(RANDOM.random(size), RANDOM.random(size)))
    show(f32sum(RANDOM.random(size).astype(np.float32)))
    show(skip(grid, RANDOM.random(53), RANDOM.random(53) < 0.3), grid)
    show(lst(RANDOM.random(size).tolist()))

# A sum beyond 64 bits, which a comparison then uses: NumPy warns and wraps.
distances = RANDOM.integers(2**62, 2**63 - 1, (9, 9))
weights = RANDOM.integers(0, 900, (9, 9))
weights[0, 5] = 2**62
minplus(distances, weights)
show(distances)
