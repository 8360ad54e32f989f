"""Sums of NumPy ints that leave their range on the way, and come back: CPython warns, so must every device."""

import warnings

import numpy as np
from showing import show


def total(a, s):
    for i in range(len(a)):  # native
        s += a[i]
    return s


def difference(a, s):
    for i in range(len(a)):  # native
        s -= a[i]
    return s


def product(a, s):
    for i in range(len(a)):  # native
        s = s * a[i]
    return s


def both_ways(a, s):
    for i in range(len(a)):  # native
        if a[i] > 0:
            s += np.int16(1)
        else:
            s -= np.int16(1)
    return s


def magnitudes(a, s):
    for i in range(len(a)):  # native
        s += abs(a[i])
    return s


def masks(a, s):
    for i in range(len(a)):  # native
        s ^= a[i]
    return s


def row_sums(A, out):
    for i in range(A.shape[0]):  # native
        s = A[i, 0]
        for j in range(1, A.shape[1]):
            s += A[i, j]
        out[i] = s
    return out


def recorded(function, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        result = function(*arguments)
    texts = sorted({(str(w.message), w.lineno) for w in caught})
    show(function.__name__, result)
    print("   ", *texts)


for n in (4, 100, 4000):
    up = np.array([100] * n + [-100] * n)
    low = np.array(([1, -1] * n)[: 2 * n])
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        size = np.iinfo(dtype).max // n // 60 if n > 100 else np.iinfo(dtype).max // 100
        a = (np.sign(up) * max(int(size), 1) * 2).astype(dtype)
        for start in (0, dtype(0), dtype(np.iinfo(dtype).max - 3), dtype(np.iinfo(dtype).min + 3)):
            recorded(total, a, start)
            recorded(difference, a, start)
            recorded(total, low.astype(dtype), start)
            recorded(magnitudes, a, start)
            recorded(masks, a, start)
        recorded(product, low.astype(dtype), dtype(3))
        recorded(product, np.full(n, 3, dtype), dtype(3))
        recorded(row_sums, np.stack([a, -a, low.astype(dtype)]), np.zeros(3, dtype))
    for dtype in (np.uint8, np.uint32, np.uint64):
        a = np.full(n, np.iinfo(dtype).max // 9, dtype)
        recorded(total, a, dtype(0))
        recorded(difference, a, dtype(np.iinfo(dtype).max))
        recorded(masks, a, dtype(7))
    recorded(both_ways, up, np.int16(32766))
    recorded(both_ways, low, np.int16(32767))
with warnings.catch_warnings():
    warnings.simplefilter("error")
    a = np.array([100] * 3000 + [-100] * 3000, dtype=np.int8)
    out = np.zeros(2, np.int8)
    try:
        total(a, np.int8(0))
    except RuntimeWarning as error:
        print(error)
    try:
        row_sums(np.stack([a * 0, a]), out)
    except RuntimeWarning as error:
        print(error, out)
