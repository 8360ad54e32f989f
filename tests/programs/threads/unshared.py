"""Work arrays and arrays of sums: what threads must not share, in all the ways in which they nearly could."""

import numpy as np
from showing import attempt, show


def rows_through_a_buffer(a, w):
    n, m = a.shape
    for i in range(n):  # native
        for j in range(m):
            w[j] = a[i, j] * 2.0
        for j in range(m):
            a[i, j] = w[m - 1 - j]
    return a, w


def growing_rows(a, w):
    for i in range(a.shape[0]):  # native
        for j in range(i):
            w[j] = a[i, j]
        for j in range(i):
            a[i, j] = w[i - 1 - j]
    return a, w


def shrinking_rows(a, w):
    n = a.shape[0]
    for i in range(n):  # native
        for j in range(i, n):
            w[j] = a[i, j]
        for j in range(i, n):
            a[i, j] = w[n - 1 - j + i]
    return a, w


def rods(t, c, d, steps):
    n, m = t.shape
    for _ in range(steps):  # native
        for i in range(n):
            c[0] = 0.0
            d[0] = t[i, 0]
            for j in range(1, m - 1):
                p = 2.4 + 0.7 * c[j - 1]
                c[j] = -0.7 / p
                d[j] = (t[i, j] + 0.7 * d[j - 1]) / p
            for j in range(m - 2, 0, -1):
                t[i, j] = d[j] - c[j] * t[i, j + 1]
    return t, c, d


def left_over(a, w):
    # What one iteration leaves is read by the next.
    for i in range(a.shape[0]):  # native
        a[i, 0] = w[0]
        for j in range(a.shape[1]):
            w[j] = a[i, j] + 1.0
    return a, w


def sometimes(a, w):
    for i in range(a.shape[0]):  # native
        if a[i, 0] > 0.0:
            w[0] = a[i, 0]
        a[i, 1] = w[0]
    return a, w


def two_axes(a, w):
    n, m = a.shape
    for i in range(n):  # native
        for j in range(m):
            for k in range(3):
                w[k, j] = a[i, j] + k
        for j in range(m):
            a[i, j] = w[0, j] + w[2, m - 1 - j]
    return a, w


def raises_late(a, w, limit):
    n, m = a.shape
    for i in range(n):  # native
        for j in range(m):
            w[j] = a[i, j] // limit[i]
        for j in range(m):
            a[i, j] = w[j] + 1
    return a, w


def list_rows(a, w):
    for row in a:  # native
        for j in range(len(w)):
            w[j] = row[j] * 3
        for j in range(len(w)):
            row[j] = w[len(w) - 1 - j]
    return a, w


def histogram(values, bins):
    for v in values:  # native
        bins[v] += 1
    return bins


def weighted(values, weights, bins):
    for i in range(len(values)):  # native
        bins[values[i]] -= weights[i]
    return bins


def joint(a, b, bins):
    for i in range(len(a)):  # native
        bins[a[i], b[i]] += 1
    return bins


def highest(values, score, best):
    for i in range(len(values)):  # native
        if score[i] > best[values[i]]:
            best[values[i]] = score[i]
    return best


def lowest(values, score, best):
    for i in range(len(values)):  # native
        best[values[i]] = min(best[values[i]], score[i])
    return best


def bits(values, flags):
    for i in range(len(values)):  # native
        flags[values[i]] |= 1 << (i % 60)
    return flags


def parities(values, flags):
    for i in range(len(values)):  # native
        flags[values[i]] ^= True
    return flags


def products(values, out):
    for i in range(len(values)):  # native
        out[values[i]] *= -1
    return out


def row_sums(a, bins):
    n, m = a.shape
    for i in range(n):  # native
        s = 0
        for j in range(m):
            s += int(a[i, j])
        bins[s % len(bins)] += s
    return bins


def floats(values, bins):
    for v in values:  # native
        bins[v] += 0.1
    return bins


def running(values, bins, out):
    for i in range(len(values)):  # native
        out[i] = bins[values[i]]
        bins[values[i]] += 1
    return bins, out


def grid(n, m):
    return ((np.arange(n * m) * 7919) % 101 - 50.0).reshape(n, m)


def numbers(n, k):
    return (np.arange(n) * 7919 + np.arange(n) // 7) % k


for n, m in [(0, 5), (1, 6), (2, 3), (97, 40)]:
    attempt(rows_through_a_buffer, grid(n, m), np.full(m + 2, -1.0))
    attempt(rows_through_a_buffer, grid(m, n).T, np.full(2 * m + 2, -1.0)[::-2])
    attempt(rods, grid(n, m), np.full(m, -1.0), np.full(m, -1.0), 3)
    attempt(left_over, grid(n, m), np.full(m, -1.0))
    attempt(sometimes, grid(n, m), np.full(m, -1.0))
    attempt(two_axes, grid(n, m), np.full((3, m), -1.0))
    rows = [[int(v) for v in row] for row in grid(n, m)]
    attempt(list_rows, rows, [7] * m)
for n in [1, 2, 90]:
    attempt(growing_rows, grid(n, n), np.full(n, -1.0))
    attempt(shrinking_rows, grid(n, n), np.full(n, -1.0))

# The buffer is a row of the matrix, or overlaps it.
a = grid(60, 50)
attempt(rows_through_a_buffer, a, a[7])
a = grid(60, 50)
attempt(rows_through_a_buffer, a[:, 3:], a[59, :47])

limit = [3] * 200
ints = np.arange(200 * 30).reshape(200, 30)
attempt(raises_late, ints.copy(), np.zeros(30, dtype=np.int64), limit)
limit[150] = 0
attempt(raises_late, ints.copy(), np.zeros(30, dtype=np.int64), limit)

for n in [0, 1, 5, 40_000]:
    values = numbers(n, 50)
    attempt(histogram, values, np.zeros(50, dtype=np.int64))
    attempt(histogram, values.astype(np.uint8), np.arange(50))
    attempt(histogram, values.tolist(), [0] * 50)
    attempt(histogram, bytes(values.tolist()), [5] * 60)
    attempt(histogram, values, np.zeros(100, dtype=np.int32)[::2])
    attempt(histogram, -values, np.zeros(51, dtype=np.uint32))
    attempt(weighted, values.tolist(), values[::-1].tolist(), [0] * 50)
    attempt(joint, values, values[::-1], np.zeros((50, 50), dtype=np.int64).T)
    attempt(highest, values, values[::-1] * 3 - 70, np.zeros(50, dtype=np.int64))
    attempt(lowest, values.tolist(), (values[::-1] * 3 - 70).tolist(), [0] * 50)
    attempt(bits, values, [0] * 50)
    attempt(parities, values.tolist(), [False] * 50)
    attempt(products, values.tolist(), list(range(50)))
    attempt(floats, values, np.zeros(50))
    attempt(running, values.tolist(), [0] * 50, [0] * n)
attempt(row_sums, grid(300, 20), [0] * 17)

# One index too large; what was counted before it stays.
values = numbers(30_000, 50)
values[29_000] = 50
for bins in [np.zeros(50, dtype=np.int64), [0] * 50]:
    attempt(histogram, values.tolist(), bins)
    show("bins", bins)

# Beyond 64 bits in one part, in all of them together, only on the way.
big = 2**62
for weights in [
    [big] * 3 + [0] * 9_000,
    [big // 2_000] * 9_000,
    [big, big, big, -big, -big] + [0] * 9_000,
]:
    attempt(weighted, [0] * len(weights), weights, [0, 1])

# NumPy's ints wrap, and warn once they do.
zeros = np.zeros(20_000, dtype=np.int64)
attempt(histogram, zeros, np.full(3, 2**63 - 5_000))
attempt(histogram, zeros, np.zeros(3, dtype=np.uint8))
attempt(histogram, zeros, np.zeros(3, dtype=np.int16))
