"""Lists whose elements are NumPy scalars: read, updated, of several types, and with NaN."""

import math

import numpy as np


def convolved(x, weights):
    n, m = len(x), len(weights)
    out = np.zeros(n)
    last = 0.0
    for i in range(n):  # native throughout
        acc = 0.0
        for k in range(m):
            j = min(max(i + k - m // 2, 0), n - 1)
            acc += weights[k] * x[j]
        out[i] = acc
        last = acc
    return out, last, type(last).__name__


gauss = [np.exp(-(i * i) / 2.0) for i in range(-3, 4)]
for x in (np.arange(60.0) % 7, list(np.arange(60.0) % 7), tuple(np.arange(60.0) % 7)):
    out, last, kind = convolved(x, gauss)
    print([v.hex() for v in out[:9]], float(last).hex(), kind)


def updated(forces, g):
    for i in range(len(forces)):  # native throughout
        for j in range(len(g)):
            forces[i] += g[j] * forces[i] * 0.001
    return [(type(f).__name__, float(f).hex()) for f in forces]


print(updated([np.float64(k) for k in range(12)], [np.float64(k) for k in range(12)]))
print(updated([np.float64(k) for k in range(12)], [float(k) for k in range(12)]))
print(updated([np.float64(k) for k in range(12)], list(range(12))))


def total(ks):
    t = 0
    for k in ks:  # native
        t += k
    return t, type(t).__name__


print(total([np.int64(3)] * 50), total(list(np.arange(40, dtype=np.int32))))
print(total([np.uint16(3)] * 50), total([np.float32(0.1)] * 50))


def wrapped(ks):
    t = ks[0]
    for k in ks:
        t = t + k
    return t, type(t).__name__


print(wrapped([np.int8(100)] * 5), wrapped([np.uint8(200)] * 5))


def of_several_types(values):
    t = 0
    for v in values:  # cpython
        t = t + v
    return t, type(t).__name__


print(of_several_types([np.uint8(200), 3] * 10), of_several_types([1.5, np.float64(2)] * 3))


def python_floats_into(values, x):
    for i in range(len(values)):  # cpython
        values[i] = x * i
    return values, {type(v).__name__ for v in values}


print(python_floats_into([np.float64(1)] * 4, 2.0))


def scalars_into(values, x):
    for i in range(len(values)):  # native
        values[i] = x + values[i]
    return values, {type(v).__name__ for v in values}


print(scalars_into([np.float64(k) for k in range(4)], np.float64(2)))
print(scalars_into([np.float64(k) for k in range(4)], 2.5))
print(scalars_into([np.int64(k) for k in range(4)], 7))


def product(a, b):
    n = len(a)
    c = [[np.float64(0)] * n for _ in range(n)]
    for i in range(n):  # native throughout
        for j in range(n):
            for k in range(n):
                c[i][j] += a[i][k] * b[k][j]
    return c


square = [[np.float64(i * j % 7) for j in range(6)] for i in range(6)]
c = product(square, square)
print(c[3][4], type(c[3][4]).__name__, sum(map(sum, c)))

with_nan = [np.float64(1), np.float64("nan"), np.float64(3)]


def where_nan(values):
    n = 0
    for v in values:
        if v != v:
            n += 1
    return n


print(where_nan(with_nan), with_nan[1] in with_nan, math.isnan(with_nan[1]))


def extremes(values):
    low, high = values[0], values[0]
    for v in values:  # native
        if v < low:
            low = v
        if v > high:
            high = v
    return low, high, type(low).__name__


print(extremes([np.float64(v % 11) for v in range(5, 40)]))
