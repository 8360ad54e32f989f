"""Loops as programs have them. No weight is fitted to these: they tell how good the fitted weights
are.
"""

import math


def dot(n, a, b):
    s = 0.0
    for i in range(n):
        s += a[i] * b[i]
    return s


def axpy(n, xs, ys, zs, x):
    for i in range(n):
        zs[i] = x * xs[i] + ys[i]


def axpy_array(n, a, b, c, x):
    for i in range(n):
        c[i] = x * a[i] + b[i]


def smooth(m, m2):
    rows, columns = m.shape
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            m2[i, j] = 0.25 * (m[i - 1, j] + m[i + 1, j] + m[i, j - 1] + m[i, j + 1])


def smooth_lists(rows, rows2):
    for i in range(1, len(rows) - 1):
        for j in range(1, 15):
            rows2[i][j] = 0.25 * (rows[i - 1][j] + rows[i + 1][j] + rows[i][j - 1] + rows[i][j + 1])


def product(rows, rows2, n8):
    s = 0.0
    for i in range(n8):
        for j in range(n8):
            s = 0.0
            for k in range(n8):
                s += rows[i][k] * rows2[k][j]
    return s


def horner(n, xs):
    s = 0.0
    for i in range(n):
        v = xs[i]
        s = ((2.0 * v + 1.0) * v - 3.0) * v + 0.5
    return s


def lcg(n, k):
    s = k
    for _i in range(n):
        s = (s * 1103515245 + 12345) % 2147483648
    return s


def histogram(n, a, counts):
    for i in range(n):
        b = int(a[i] * 15.0)
        counts[b] += 1


def distance(n, xs, ys, x, y):
    best = 1e9
    at = 0
    for i in range(n):
        dx = xs[i] - x
        dy = ys[i] - y
        d = dx * dx + dy * dy
        if d < best:
            best = d
            at = i
    return at


def waves(n, xs, zs):
    for i in range(n):
        zs[i] = math.sin(xs[i]) * math.exp(-xs[i])


def clamp(n, a, c):
    for i in range(n):
        v = a[i] * 2.0 - 0.5
        if v < 0.0:
            v = 0.0
        elif v > 1.0:
            v = 1.0
        c[i] = v


def gather(n, a, idx, c):
    for i in range(n):
        c[i] = a[idx[i]] + 1.0


def sieve_step(n, ks):
    c = 0
    for i in range(n):
        if i % 3 == 0 or ks[i] % 5 == 0:
            c += 1
    return c


def _weight(v, w):
    d = v - w
    return 1.0 / (1.0 + d * d)


def kernel_sum(n, xs, y):
    s = 0.0
    for i in range(n):
        s += _weight(xs[i], y)
    return s


def pairs(xs, n8):
    s = 0.0
    for i in range(4 * n8):
        for j in range(i):
            d = xs[i] - xs[j]
            s += abs(d)
    return s
