"""`for` over range with every kind of start, stop and step."""

import numpy as np
from showing import show


class Box:
    def __init__(self, n):
        self.n = n
        self.low = 2


def constants(a):
    for i in range(40):  # native
        a[i] = i * i
    for i in range(3, 40):  # native
        a[i] += a[i - 3]
    for i in range(1, 40, 4):  # native
        a[i] -= 7
    for i in range(39, 0, -1):  # native
        a[i] = a[i] - a[i - 1]
    for i in range(38, -1, -3):  # native
        a[i] += i
    return a, i


def names(a, start, stop, step):
    total = 0
    i = -99
    for i in range(start, stop, step):  # native
        total += int(a[i % len(a)]) * i
    return total, i


def lengths(a, x):
    s = 0
    for i in range(len(a)):  # native
        s = s + a[i]
    for i in range(a.shape[0]):  # native
        s = s + a[i] * 2
    for i in range(len(x) - 1):  # native
        s = s + x[i + 1] - x[i]
    for i in range(a.size // 2, a.size):  # native
        s = s - a[i]
    return s, i


def attributes(box, a):
    s = 0.0
    for i in range(box.low, box.n):  # native
        s += a[i] * 0.5
    for i in range(box.n - 1, box.low - 1, -box.low):  # native
        s -= a[i] * 0.25
    return s, i


def expressions(a, n, m):
    s = 0
    for i in range(n * 2 - m, (n + m) // 2 + 5, m % 4 + 1):  # native
        s += i
        a[i] = s
    for i in range(min(n, m), max(n, m) + 1):  # native
        s += i
    for i in range(int(n / 2), abs(-m)):  # native
        s += 2 * i
    for i in range(n if n > m else m, 60):  # native
        s += 3 * i
    return s, i


def bounds_of_outer(A):
    n, m = A.shape
    for i in range(n):  # native
        for j in range(i, m):
            A[i, j] = i + 10 * j
        for j in range(i - 1, -1, -1):
            A[i, j] += A[i, j + 1]
        for j in range(i % 3, m - i // 2, 1 + i % 2):
            A[i, j] -= 1
    return A


def evaluated_once(n):
    total = 0
    for i in range(n):  # native
        n = n + i
        total += n
    return total, n, i


def numpy_bounds(n, a):
    count = 0
    for i in range(n):  # native
        count += i
    for k in range(a[2], a[5]):  # native
        count += k
    return count, i, k


def bool_bound(flag):
    count = 0
    for i in range(flag):  # native
        count += i + 1
    return count


def huge_values(start):
    last = 0
    for i in range(start, start + 5000, 1000):  # native
        last = i - start
    for j in range(2**62, 2**62 + 3):  # native
        last += j - 2**62
    return last, i, j


def beyond_64_bits(start):
    last = 0
    for i in range(start, start + 3):
        last = i
    return last


def stepping_to_the_end(a):
    for i in range(0, 10, 3):  # native
        a[i] += 1
    for i in range(10, 0, -3):  # native
        a[i] += 100
    for i in range(5, 6, 1000):  # native
        a[i] += 10000
    return a, i


show("constants", *constants(np.zeros(40, dtype=np.int64)))
for args in [(0, 30, 1), (5, 50, 7), (50, 5, -7), (-20, 20, 3), (20, -20, -1), (3, 4, 99)]:
    show("names", args, *names(np.arange(17) * 3 - 20, *args))
show("lengths", *lengths(np.arange(12.0) / 7, [0.1 * k * k for k in range(20)]))
show("attributes", *attributes(Box(25), np.linspace(-3, 4, 30)))
show("expressions", *expressions(np.zeros(64, dtype=np.int64), 11, 17))
show("bounds_of_outer", bounds_of_outer(np.zeros((9, 12), dtype=np.int64)))
show("evaluated_once", *evaluated_once(12))
show("numpy_bounds", *numpy_bounds(np.int64(20), np.array([1, 2, 3, 4, 5, 19])))
show("numpy_bounds", *numpy_bounds(np.uint8(20), np.array([1, 2, 3, 4, 5, 19], dtype=np.int16)))
show("bool_bound", bool_bound(True), bool_bound(False))
show("huge_values", *huge_values(10**15))
show("beyond_64_bits", beyond_64_bits(2**63 - 2), beyond_64_bits(10**30))
show("stepping_to_the_end", *stepping_to_the_end(np.zeros(11, dtype=np.int32)))
