"""Arrays of ints as subscripts in loops: sparse products, permutations, tables."""

import numpy as np

rng = np.random.default_rng(5)


def show(*values):
    for v in values:
        print(type(v).__name__, np.asarray(v).tolist())


def sparse(starts, columns, values, x, y):
    for i in range(len(y)):  # native
        first, last = starts[i], starts[i + 1]
        y[i] = np.dot(values[first:last], x[columns[first:last]])


def sparse_sum(starts, columns, values, x, y):
    for i in range(len(y)):  # native
        y[i] = np.sum(values[starts[i] : starts[i + 1]] * x[columns[starts[i] : starts[i + 1]]])


def rows_and_columns(a, p, t):
    for i in range(a.shape[0]):  # native
        t[i] = a[i, p] + a[i][p] * 0.5
        t[i, :3] -= a[p[:3], i]


def permuted(x, p, n):
    for k in range(n):  # native
        x[:] = x[p]
        x += x[p] * 0.125
    return x


def named(a, p):
    s = 0.0
    for i in range(a.shape[0]):  # native
        q = a[i, p]
        s += q.max() - q[0]
        q *= 2.0
        s += q[-1]
    return s, q


def table(t, keys, out):
    for i in range(keys.shape[0]):  # native
        out[i] = t[keys[i] % 8] + t[keys[i] // 64]


def narrow(t, k8, u64, out):
    for i in range(out.shape[0]):  # native
        out[i] = t[k8] * 0.5 + t[u64]


def too_far(x, p, out):
    for i in range(len(out)):  # native
        out[i] = np.sum(x[p[: i + 1]])


def stored_or_not(u, x, p):
    for i in range(4):  # native
        u[:] = x[p[i]] + i


def masked(x, m, out):
    for i in range(len(out)):
        out[i] = np.sum(x[m > i])


def beside(x, p, i):
    for k in range(3):
        x[p] += 1.0
    return x


n = 40
counts = rng.integers(0, 6, n)
starts = np.concatenate([[0], np.cumsum(counts)])
columns = rng.integers(0, 25, starts[-1])
values, x, y = rng.random(starts[-1]), rng.random(25), np.zeros(n)
sparse(starts, columns, values, x, y)
show(y)
sparse_sum(starts, columns.astype(np.int32), values, x, y)
show(y)
a, p, t = rng.random((7, 7)), rng.permutation(7), np.zeros((7, 7))
rows_and_columns(a, p, t)
show(t)
rows_and_columns(a, p - 7, t)
show(t, permuted(rng.random(7), p, 30))
show(*named(a, p))
keys, out = rng.integers(0, 512, (9, 5)), np.zeros((9, 5))
table(rng.random(8), keys, out)
show(out)
narrow(rng.random(300), rng.integers(-128, 128, 5, np.int8), np.arange(5, dtype=np.uint64), out)
show(out)
far = np.array([0, 3, -7, 6, 7, 1])
out = np.zeros(6)
for at in (far, -far - 1, far * 0 - 8):
    try:
        too_far(rng.random(7), at, out)
    except IndexError as error:
        print(error)
    show(out)
places, u = np.arange(20).reshape(4, 5), np.zeros(5)
try:
    stored_or_not(u, rng.random(18), places)
except IndexError as error:
    print(error)
show(u)
masked(rng.random(7), rng.integers(0, 5, 7), out)
show(out)
show(beside(np.zeros(5), np.array([1, 1, 3]), 0))
for empty in (np.zeros(0, int), np.zeros(0, np.uint8)):
    show(permuted(np.zeros(0), empty, 2))
