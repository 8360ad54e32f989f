"""What a store makes of a value: converted, wrapped or refused, as NumPy does it."""

import numpy as np
from showing import attempt, show

target = None


def store(a, values):
    global target
    target = a
    for i in range(len(values)):  # native
        a[i] = values[i]
    return a


def store_scaled(a, values):
    for i in range(len(a)):  # native
        a[i] = values[i] * 1.5
    return a


def store_constant(a):
    for i in range(len(a)):  # native
        a[i] = 2.9
        a[i] = 7
        a[i] = True
    return a


def add_float(a, x):
    for i in range(len(a)):  # native
        a[i] += x
    return a


def store_comparison(a, b):
    for i in range(len(a)):  # native
        a[i] = b[i] > 1
    return a


def store_counter(a):
    for i in range(len(a)):  # native
        a[i] = i
    return a


def store_negative(a):
    for i in range(len(a)):
        a[i] = -i
    return a


def store_bool_of(a, b):
    for i in range(len(a)):  # native
        a[i] = b[i]
    return a


def read_back(a, values):
    s = 0.0
    for i in range(len(a)):  # native
        a[i] = values[i]
        s += a[i] - values[i]
    return s, a


def store_into_list(l, values):
    for i in range(len(l)):
        l[i] = values[i]
    return l


def store_string(a):
    for i in range(len(a)):
        a[i] = "12"
    return a


def store_array(a, b):
    for i in range(len(a)):
        a[i] = b
    return a


def store_row(A, row):
    for i in range(len(A)):
        A[i] = row
    return A


def store_none(a):
    for i in range(len(a)):
        a[i] = None
    return a


INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
KINDS = [np.bool_, *INTS, np.float32, np.float64, np.complex128]
nan, inf = float("nan"), float("inf")
VALUES = [
    [1, 2, 3],
    [1.5, 2.9, -0.9],
    [True, False, True],
    [100, 200, 300],
    [1, -1, 2],
    [1, 70000, 2],
    [1, 2**31, 2],
    [1, 2**32, 2],
    [1, 2**62, 2],
    [1, 2**63, 2],
    [1, 2**64, 2],
    [1, -(2**63), 2],
    [1.0, nan, 2.0],
    [1.0, inf, 2.0],
    [1.0, 1e10, 2.0],
    [1.0, 1e300, 2.0],
    [1.0, -1e30, 2.0],
    [1.0, -5.5, 0.0],
    [1 + 0j, 2j, 3.0],
]
for kind in KINDS:
    for values in VALUES:
        attempt(store, np.zeros(3, dtype=kind), values)
        show(np.dtype(kind).name, target)
for kind in KINDS:
    for other in KINDS:
        info = np.iinfo(other) if other in INTS else None
        values = [1, 0, 100] if info is None else [1, info.min, info.max]
        attempt(store, np.zeros(3, dtype=kind), np.array(values).astype(other))
        show("left", target)
    attempt(store, np.zeros(3, dtype=kind), np.array([1.0, nan, 5.0]))
    attempt(store, np.zeros(3, dtype=kind), np.array([1.0, 1e39, -5.7]))
    attempt(store, np.zeros(3, dtype=kind), np.array([1.0, -inf, 0.1], dtype=np.float32))
    attempt(store, np.zeros(3, dtype=kind), np.array([1.0, 1e20, 0.1], dtype=np.float32))
    attempt(store_scaled, np.zeros(3, dtype=kind), [1, 2, 3])
    attempt(store_scaled, np.zeros(3, dtype=kind), np.array([1, 2, 3]))
    show(
        "constant", store_constant(np.zeros(3, dtype=kind)), store_counter(np.zeros(9, dtype=kind))
    )
    attempt(store_counter, np.zeros(300, dtype=kind))
    attempt(store_negative, np.zeros(3, dtype=kind))
    attempt(store_bool_of, np.zeros(3, dtype=bool), np.array([0, 1, 3], dtype=kind))
    if kind is not np.bool_:
        attempt(add_float, np.ones(3, dtype=kind), 0.75)
        attempt(add_float, np.ones(3, dtype=kind), 2)
    if kind is not np.complex128:
        attempt(store_comparison, np.zeros(3, dtype=kind), np.array([0, 1, 3]))
    attempt(read_back, np.zeros(3, dtype=kind), [0.1, 2.5, 3.0])
    attempt(store_into_list, [0, 0, 0], np.ones(3, dtype=kind))
    attempt(store_string, np.zeros(2, dtype=kind))
    attempt(store_array, np.zeros(2, dtype=kind), np.ones(1))
    attempt(store_array, np.zeros(2, dtype=kind), np.ones(2))
    attempt(store_array, np.zeros(2, dtype=kind), [1])
    attempt(store_none, np.zeros(2, dtype=kind))
show("row", store_row(np.zeros((2, 3)), [1, 2, 3]), store_row(np.zeros((2, 3)), 7.0))
attempt(store_row, np.zeros((2, 3)), [1, 2])
