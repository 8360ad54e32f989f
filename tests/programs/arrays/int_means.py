"""Means of arrays of ints and bools: as floats, exact or CPython's."""

import warnings

import numpy as np


def means(a, n):
    out = np.zeros(n)
    for i in range(n):  # native
        out[i] = abs(a.mean()) + a[i % len(a)].mean() + np.mean(a)
        a[i % a.shape[0], 0] += 1
    return out


def types(a):
    for i in range(3):  # native
        m = a.mean()
        k = (a > 1).mean()
    return m, type(m), k, type(k)


def var(a, n):
    s = 0.0
    for i in range(n):
        s += np.std(a) + a.var()
    return s


rng = np.random.default_rng(0)
for dt in (np.int64, np.int32, np.uint8, np.int8, np.uint64):
    a = rng.integers(0, 100, (7, 9)).astype(dt)
    print(dt.__name__, means(a.copy(), 20).tolist(), types(a))
    try:
        print(var(a, 3))
    except Exception as e:
        print(e)
big = np.array([[2**62, -(2**62) + 5, 3], [2**53, 1, 1]])
print(means(big.copy(), 4).tolist(), types(big))
print(types(np.array([[True, False], [True, True]])))
w = rng.random((40, 40)) < 0.3
print(types(w))


def empty(a):
    m = 0
    for i in range(2):
        m = a.mean()
    return m


with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    print(empty(np.zeros(0, dtype=int)), len(seen))
