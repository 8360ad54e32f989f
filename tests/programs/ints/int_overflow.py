"""NumPy ints wrap with a warning, Python's weak ints that do not fit raise."""

import numpy as np
from showing import attempt, show

SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]


def total(a):
    s = 0
    for x in a:
        s += x
    return s


def factorial(a):
    p = 1
    for x in a:
        p *= x
    return p


def below_zero(a):
    s = a[0]
    for x in a:
        s = s - x
    return s


def add_constant(a, k):
    s = a[0]
    for i in range(len(a)):
        s = a[i] + k
    return s


def multiply_constant(a, k):
    s = a[0]
    for i in range(len(a)):
        s = k * a[i]
    return s


def store_sum(a, b, c):
    for i in range(len(a)):
        c[i] = a[i] + b[i]
    return c


def negate(a):
    for i in range(len(a)):
        a[i] = -a[i]
    return a


def absolute(a):
    s = 0
    for x in a:
        s = abs(x)
    return s


def increment(a, k):
    for i in range(len(a)):
        a[i] += k
    return a


def compare_with(a, k):
    n = 0
    for x in a:
        if x < k:
            n += 1
        if x == k:
            n += 100
        if k >= x:
            n += 10000
    return n


def bit_operations(a, k):
    s = a[0]
    for x in a:
        s = (x & k) | (x ^ k)
    return s


def floor_by(a, k):
    s = a[0]
    for x in a:
        s = x // k + x % k
    return s


def shift_by(a, k):
    s = a[0]
    for x in a:
        s = (x << k) + (x >> k)
    return s


def power(a, k):
    s = a[0]
    for x in a:
        s = x**k
    return s


def wraps_inside(n):
    x = np.int32(12345)
    for i in range(n):
        x = x * np.int32(1103515245) + np.int32(12345)
    return x


def hash_uint64(n):
    h = np.uint64(14695981039346656037)
    for i in range(n):
        h = (h ^ np.uint64(i)) * np.uint64(1099511628211)
    return h


def no_overflow(a):
    s = np.int64(0)
    for x in a:  # native
        s += x
    t = 0
    for i in range(len(a)):  # native
        t = t + int(a[i]) * 3
    return s, t


for t in SIGNED + UNSIGNED:
    top = np.iinfo(t).max
    low = np.iinfo(t).min
    name = np.dtype(t).name
    near = np.array([top - 1, 1, 0, 1, 1], dtype=t)
    attempt(total, near)
    attempt(total, near[:3])
    attempt(factorial, np.array([2, top // 2, 3], dtype=t))
    attempt(below_zero, np.array([1, 5, 6], dtype=t))
    attempt(below_zero, np.array([low, top], dtype=t))
    for k in (1, -1, 100, 127, 128, 255, 256, 2**31, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30):
        attempt(add_constant, near, k)
        attempt(multiply_constant, near, k)
        attempt(compare_with, near, k)
        attempt(increment, near.copy(), k)
        attempt(bit_operations, near, k)
        attempt(floor_by, near[:3], k)
    attempt(add_constant, near, True)
    attempt(add_constant, near, 0.5)
    attempt(store_sum, near, near, np.zeros_like(near))
    attempt(store_sum, near, near, np.zeros(5, dtype=np.int64))
    attempt(store_sum, near, near, np.zeros(5))
    attempt(negate, np.array([low, 1, top, 0], dtype=t))
    attempt(absolute, np.array([low], dtype=t))
    for k in (0, 1, 7, 8, 31, 32, 63, 64, 100):
        attempt(shift_by, near, k)
        attempt(power, np.array([2, 3], dtype=t), k)
    attempt(shift_by, near, -1)
    attempt(power, near, -1)
    show(name, *no_overflow(np.array([1, 2, 3], dtype=t)))
show("lcg", wraps_inside(1), wraps_inside(5), hash_uint64(1), hash_uint64(9))
show("mixed", total(np.array([2**63, 1], dtype=np.uint64)), total(np.array([2**62, 2**62])))
