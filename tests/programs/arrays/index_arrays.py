"""Subscripts read from arrays: all in range, one out of range, negative ones, and arrays that change between calls."""

import mmap
import threading

import numpy as np
from showing import attempt, show


def multiply(first, column, value, x, y):
    for i in range(len(y)):  # native
        total = 0.0
        for e in range(first[i], first[i + 1]):
            total += value[e] * x[column[e]]
        y[i] = total
    return y


def gather(index, a, out):
    for i in range(len(index)):  # native
        out[i] = a[index[i]] * 2
    return out


def scatter(index, a, out):
    for i in range(len(index)):  # native
        out[index[i]] += a[i]
    return out


def pack(weights, values, best):
    for item in range(len(weights)):  # native
        weight = weights[item]
        for c in range(len(best) - 1, weight - 1, -1):
            if best[c - weight] + values[item] > best[c]:
                best[c] = best[c - weight] + values[item]
    return best


def chase(following, start, n):
    """An array that is written proves nothing."""
    at = start
    for i in range(n):  # native
        at = following[at]
        following[i] = i
    return at


def two_steps(index, inner, a, out):
    for i in range(len(index)):  # native
        out[i] = a[inner[index[i]]]
    return out


def matrix(index, A, out):
    for i in range(index.shape[0]):  # native
        for j in range(index.shape[1]):
            out[i, j] = A[index[i, j], index[j, i]]
    return out


def itself(a, out):
    """The index array and what is written are one."""
    for i in range(len(a)):  # native
        out[i] = a[a[i]]
    return out


rng = np.random.default_rng(5)
n = 3000
degree = rng.integers(0, 6, n)
first = np.zeros(n + 1, dtype=np.int64)
first[1:] = np.cumsum(degree)
for kind in (np.int32, np.int64, np.uint16):
    column = rng.integers(0, n, first[-1]).astype(kind)
    value, x = rng.random(first[-1]), rng.random(n)
    show("csr", multiply(first, column, value, x, np.zeros(n)).sum())
    show(
        "csr", multiply(first.tolist(), column.tolist(), value.tolist(), x.tolist(), [0.0] * n)[-5:]
    )
    # The same site with an element out of range, far behind; then with a negative one.
    y = np.zeros(n)
    bad = column.astype(np.int64)
    bad[len(bad) * 3 // 4] = n
    attempt(multiply, first, bad, value, x, y)
    show("partial", y.sum(), np.count_nonzero(y))
    bad[len(bad) * 3 // 4] = -3
    show("wrapped", multiply(first, bad, value, x, np.zeros(n)).sum())
    bad[5] = -n - 1
    attempt(multiply, first, bad, value, x, np.zeros(n))
    # Rows that reach beyond the end.
    late = first.copy()
    late[-1] += 1
    attempt(multiply, late, column, value, x, np.zeros(n))

index = rng.integers(0, 50, 4000)
a = rng.random(50)
for k in range(6):
    out = np.zeros(4000)
    show("gather", gather(index, a, out).sum())
    if k == 2:
        index[3999] = 50
        attempt(gather, index, a, out)
        show("partial", out[-3:])
        index[3999] = -50
    if k == 4:
        index[0] = -51
        attempt(gather, index, a, out)
        index[0] = 0
show("reversed", gather(index[::-2], a, np.zeros(2000)).sum())
show("empty", gather(index[:0], a, np.zeros(0)).sum())
show("bytes", gather(bytes(range(50)) * 80, a, np.zeros(4000)).sum())
attempt(gather, bytes(range(51)) * 80, a, np.zeros(4080))
show(
    "frombuffer",
    gather(np.frombuffer(bytes(range(50)) * 80, dtype=np.uint8), a, np.zeros(4000)).sum(),
)
attempt(gather, np.array([1, 2**63 + 5] * 2000, dtype=np.uint64), a, np.zeros(4000))

mapped = mmap.mmap(-1, 8 * 4000)
shared = np.frombuffer(mapped, dtype=np.int64)
shared[:] = index
show("mapped", gather(shared, a, np.zeros(4000)).sum())
shared[7] = 50
attempt(gather, shared, a, np.zeros(4000))

show("scatter", scatter(index, rng.random(4000), np.zeros(50)).sum())
show("scatter", scatter(index.tolist(), rng.random(4000).tolist(), [0.0] * 50)[-4:])
index[100] = 50
out = np.zeros(50)
attempt(scatter, index, np.ones(4000), out)
show("partial", out.sum())

weights, values = rng.integers(1, 300, 60), rng.integers(1, 900, 60)
show("pack", pack(weights, values, np.zeros(2000, dtype=np.int64))[-3:])
show("pack", pack(weights.tolist(), values.tolist(), [0] * 2000)[-3:])
weights[50] = 0
show("pack", pack(weights, values, np.zeros(2000, dtype=np.int64))[-3:])
weights[50] = -7
best = np.zeros(2000, dtype=np.int64)
attempt(pack, weights, values, best)
show("partial", best.sum())
weights[50] = np.iinfo(np.int64).min
attempt(pack, weights, values, np.zeros(2000, dtype=np.int64))
weights[50] = 5000
show("pack", pack(weights, values, np.zeros(2000, dtype=np.int64))[-3:])

show("chase", chase(rng.permutation(500), 7, 500), chase(rng.permutation(500).tolist(), 7, 500))
inner = rng.integers(0, 50, 50)
show("steps", two_steps(rng.integers(0, 50, 3000), inner, a, np.zeros(3000)).sum())
inner[49] = 77
index = rng.integers(0, 49, 3000)
show("steps", two_steps(index[inner[index] != 77], inner, a, np.zeros(3000)).sum())
index[2000] = 49
attempt(two_steps, index, inner, a, np.zeros(3000))
square = rng.integers(0, 40, (60, 60))
A = rng.random((40, 40))
show("matrix", matrix(square, A, np.zeros((60, 60))).sum())
show("matrix", matrix(square.T[::-1], A, np.zeros((60, 60))).sum())
square[59, 59] = 40
attempt(matrix, square, A, np.zeros((60, 60)))

ring = rng.permutation(2000)
show("itself", itself(ring, np.zeros(2000, dtype=np.int64)).sum())
show("itself", itself(ring, ring).sum())
ring[:] = rng.permutation(2000)
ring[1000] = 2000
attempt(itself, ring, np.zeros(2000, dtype=np.int64))


def in_a_thread():
    index = np.arange(4000) % 50
    show("thread", gather(index, a, np.zeros(4000)).sum())
    index[-1] = 50
    attempt(gather, index, a, np.zeros(4000))


thread = threading.Thread(target=in_a_thread)
thread.start()
thread.join()
