"""`%` of ints around its easy cases: subscripts that wrap, and dividends that go around more than once."""

import numpy as np
from showing import attempt, show

LOW, HIGH = -(2**63), 2**63 - 1


def ring(a, out, n, step):
    for i in range(n):  # native
        out[i] = a[(i + step) % n] - a[(i - step) % n]
    return out


def torus(A, out):
    rows, columns = A.shape
    for i in range(rows):  # native
        for j in range(columns):
            out[i, j] = A[(i + 1) % rows, j] + A[i, (j - 1) % columns] * 2
    return out


def remainders(dividends, divisors, out):
    for i in range(len(dividends)):  # native
        for j in range(len(divisors)):
            out[i, j] = dividends[i] % divisors[j]
    return out


def by_one(dividends, n, out):
    for i in range(len(dividends)):  # native
        out[i] = dividends[i] % n
    return out


a = np.random.default_rng(1).random(97)
for step in (0, 1, 2, 96, 97, 98, 1000):
    show("ring", ring(a, np.zeros(97), 97, step))
    show("ring", ring(a.tolist(), [0.0] * 97, 97, step))
show("torus", torus(np.arange(63.0).reshape(7, 9), np.zeros((7, 9))))
numbers = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    -3,
    7,
    -7,
    100,
    -100,
    HIGH,
    HIGH - 1,
    LOW,
    LOW + 1,
    HIGH // 2,
    LOW // 2,
]
nonzero = [n for n in numbers if n]
x, y = np.array(numbers), np.array(nonzero)
show("numpy", remainders(x, y, np.zeros((len(x), len(y)), dtype=np.int64)))
for kind in (np.int8, np.int16, np.int32):
    ends = np.iinfo(kind)
    some = [n for n in numbers if ends.min <= n <= ends.max] + [ends.min, ends.max, ends.min + 1]
    x, y = np.array(some, dtype=kind), np.array([n for n in some if n], dtype=kind)
    show("narrow", remainders(x, y, np.zeros((len(x), len(y)), dtype=kind)))
x = np.array(numbers)
for n in (1, -1, 2, -2, 7, -7, HIGH, LOW):
    show("by", by_one(x, n, np.zeros(len(x), dtype=np.int64)))
    show("by", by_one(numbers, n, [0] * len(numbers)))
attempt(by_one, numbers, 0, [0] * len(numbers))
attempt(by_one, x, 0, np.zeros(len(x), dtype=np.int64))
attempt(ring, a, np.zeros(97), 97, HIGH)
