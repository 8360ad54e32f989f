"""Lists that hold ints first and floats later, and lists of both."""

import numpy as np
from showing import show


def fill(n):
    a = [0] * n
    for i in range(n):  # native
        a[i] = i * 0.5
    return a


def fill_part(n):
    a = [0] * n
    for i in range(0, n, 3):  # native
        a[i] = i / 4
    return a


def fill_matrix(n, m):
    A = [[0] * m for _ in range(n)]
    for i in range(n):  # native
        for j in range(m):
            if i != j:
                A[i][j] = 1.0 / (i - j)
    return A


def accumulate(a, w):
    out = [0] * len(a)
    for i in range(len(a)):  # native
        for j in range(len(w)):
            out[i] += a[i - j] * w[j]
    return out


def total(a):
    s = 0
    for x in a:  # native
        s += x
    return s


def products(a, b):
    s = 0.0
    for i in range(len(a)):  # native
        s += a[i] * b[i] - a[i]
    return s


def ints_into_floats(a):
    for i in range(len(a)):  # native
        if i % 2:
            a[i] = i
    return a


def either(a):
    for i in range(len(a)):  # native
        a[i] = a[i] + 1
        a[i] = -a[i] * 2
        if a[i] < -20:
            a[i] = abs(a[i])
    return a


def compare(a, b):
    n = 0
    for i in range(len(a)):  # native
        if a[i] < b[i]:
            n += 1
        if a[i] == b[i]:
            n += 100
        if a[i] >= 2:
            n += 10000
        if a[i]:
            n += 1000000
    return n


def to_float(a, out):
    for i in range(len(a)):  # native
        out[i] = float(a[i]) / 3
    return out


def copy_elements(a, b):
    for i in range(len(a)):  # native
        b[-1 - i] = a[i]
    return b


def swap(a):
    for i in range(len(a) // 2):  # native
        a[i], a[-1 - i] = a[-1 - i], a[i]
    return a


def division(a):
    for i in range(len(a)):  # native
        a[i] = a[i] / 2
    return a


def floor_division(a):
    for i in range(len(a)):
        a[i] = a[i] // 2
    return a


def modulo(a):
    for i in range(len(a)):
        a[i] = a[i] % 3
    return a


def power(a):
    for i in range(len(a)):
        a[i] = a[i] ** 2
    return a


def maximum(a):
    best = a[0]
    for x in a:  # native
        if x > best:
            best = x
    return best


def min_max(a):
    lo = hi = a[0]
    for x in a:
        lo = min(lo, x)
        hi = max(hi, x)
    return lo, hi


def bools_and_ints(a):
    s = 0
    for x in a:
        s += x
    for i in range(len(a)):
        a[i] = a[i] + 1
    return s, a


def relax(A, steps):
    for t in range(steps):  # native
        for i in range(1, len(A) - 1):
            for j in range(1, len(A[0]) - 1):
                A[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) * 0.25
    return A


def variable(n):
    x = 0
    for i in range(n):  # native
        x = x + 0.5 if i % 2 else x
    return x


def becomes_float(a):
    best = 0
    for x in a:  # native
        if x > best:
            best = x
    return best


def average(A, out):
    for i in range(len(A)):  # native
        s = 0
        for j in range(len(A[i])):
            s += A[i][j]
        out[i] = s / len(A[i])
    return out, s


def into_array(a, out):
    for i in range(len(a)):  # native
        out[i] = a[i]
    return out


def huge_ints(a):
    s = 0
    for x in a:
        s += x
    for i in range(len(a)):
        a[i] = a[i] * 3
    return s, a


mixed = [1, 2.5, -3, 0, -0.0, 4.0, 7, 1e300, -12]
show("fill", fill(9), fill_part(10), fill_matrix(4, 5))
show("accumulate", accumulate([1, 2, 3, 4], [0.5, 0.25]), accumulate([1, 2, 3], [1, 2]))
show("accumulate", accumulate(mixed, [1, 0.5, 2]))
show("total", total(mixed), total([0, 0.5]), total([1, 2]), total([0.5, 1]), total([-0.0]))
show("products", products(mixed, mixed[::-1]), products([1, 2], [0.5, 3]))
show(
    "ints_into", ints_into_floats([0.5] * 7), ints_into_floats([0] * 4), ints_into_floats(mixed[:])
)
show("either", either(mixed[:]), either([1, 2, 3]), either([0.5, 11.0]))
show("compare", compare(mixed, mixed[::-1]), compare(mixed, mixed), compare([1, 2.0], [1.0, 2]))
show("to_float", to_float(mixed, [0.0] * 9), to_float(mixed, np.zeros(9)))
show("copy", copy_elements(mixed, [0] * 9), copy_elements(mixed, [0.5] * 9), swap(mixed[:]))
show("division", division(mixed[:]), division([1, 2, 3]))
show("floor", floor_division(mixed[:]), modulo(mixed[:]), power(mixed[:7]))
show(
    "maximum",
    maximum(mixed),
    maximum([1, 1.0]),
    maximum([1.0, 1]),
    *min_max(mixed),
    *min_max([1, 1.0]),
)
show("bools", *bools_and_ints([True, 2, False]), *bools_and_ints([True, 0.5]))
A = [[0] * 6 for _ in range(5)]
A[0] = [100] * 6
show("relax", relax(A, 3), relax([[1, 2, 3], [4.0, 5, 6.5], [7, 8, 9]], 2))
show("variable", variable(0), variable(1), variable(2), variable(7))
show("becomes", becomes_float([0.5, 2.5]), becomes_float([-0.5]), becomes_float([]))
show("becomes", becomes_float(np.array([0.5, 2.5])), becomes_float(np.float32([-1])))
show("average", *average([[1, 2, 3], [4, 5, 7]], [0, 0]), *average([[1, 0.5]], [0]))
show(
    "into_array", into_array(mixed, np.zeros(9)), into_array([1, 2.9, -3.5], np.zeros(3, dtype=int))
)
show("huge", *huge_ints([2**53, 2**53 + 1, 0.5]), *huge_ints([2**60, 1.5]), *huge_ints([2**70, 1]))
show("huge", *huge_ints([2**53 - 1, 1, 1.0]), *huge_ints([-(2**53), -1, -1.0]))
