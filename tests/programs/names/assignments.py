"""Augmented, chained and tuple assignment, swaps of values, rows and elements."""

import numpy as np
from showing import show


def augmented(a):
    x = 1000003
    y = 3.5
    for v in a:  # native
        x += v
        x -= 3
        x *= 2
        x //= 3
        x %= 1000
        x <<= 2
        x >>= 1
        x ^= 21
        x |= 4
        x &= 1023
        y += v
        y -= 0.5
        y *= 0.75
        y /= 1.25
        y //= 0.001
        y %= 7.3
        y **= 1.5
    return x, y


def augmented_elements(a, b):
    for i in range(len(a)):  # native
        a[i] += i
        a[i] *= 3
        a[i] -= a[i - 1]
        b[i] /= 2
        b[i] += a[i]
        b[-1 - i] += 0.25
    for i in range(1, len(a)):  # native
        a[i] //= 7
        a[i] %= 5
        a[i] <<= 3
        a[i] |= 1
        a[i] ^= a[i - 1]
    return a, b


def chained(a, b):
    x = y = z = 0
    for i in range(len(a)):  # native
        x = y = a[i] * 2
        a[i] = b[i] = z = x + y + i
    return x, y, z, a, b


def tuples(a):
    x, y = 0, 1
    for i in range(len(a)):  # native
        x, y = y, (x + y) % 100
        a[i], k = x, i * y
        (p, q), r = (i, x), y
    return x, y, a, k, p, q, r


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):  # native
        a, b = b, a + b
    return a, b, _


def rotate(n):
    a, b, c = 1, 2, 3
    for i in range(n):  # native
        a, b, c = c, a, b + i
    return a, b, c


def order_of_evaluation(a):
    # The right side first, then the targets from left to right: i changes before a[i] is set.
    i = 0
    for k in range(5):  # native
        i, a[i] = k + 1, i * 10
    return i, a


def swap_elements(a, idx):
    for i in range(len(a) // 2):  # native
        a[i], a[-1 - i] = a[-1 - i], a[i]
    for k in idx:  # native
        a[k], a[0] = a[0], a[k]
    return a, k


def swap_rows_of_matrix(A):
    n, m = A.shape
    for i in range(n // 2):  # native
        for j in range(m):
            A[i, j], A[n - 1 - i, j] = A[n - 1 - i, j], A[i, j]
    return A


def swap_names_by_temporary(a):
    lo = hi = a[0]
    for x in a:  # native
        if x < lo:
            t = lo
            lo = x
            x = t
        if x > hi:
            hi, x = x, hi
    return lo, hi, x


def unpack_elements(pairs):
    s = 0
    for x, y in pairs:  # native
        s += x * y
    for i, (x, y) in enumerate(pairs):  # native
        s += i * (x - y)
    return s, x, y, i


def unpack_shape(A):
    s = 0
    n, m = A.shape
    for i in range(n):  # native
        h, w = A.shape
        s += A[i, i % w] * h + w
    return s, h, w


def annotated(a):
    s: float = 0.0
    for x in a:  # native
        y: float = x * 2
        s += y
    return s, y


def targets_see_new_values(a, p):
    for i in range(len(p)):  # native
        j = p[i]
        p[i], a[p[i]] = i, j
    return a, p


ints = np.arange(20) * 7 % 23
show("augmented", *augmented(ints.tolist()), *augmented([1, -2, 3]))
show("augmented", *augmented(ints[:6]))
show("elements", *augmented_elements(ints.copy(), np.linspace(0, 1, 20)))
show("elements", *augmented_elements(ints.tolist(), np.linspace(0, 1, 20).tolist()))
show("chained", *chained(ints.copy(), np.zeros(20)), *chained([1, 2, 3], [0, 0, 0]))
show("tuples", *tuples(np.zeros(9, dtype=np.int64)), *tuples([0] * 9))
show("fibonacci", *fibonacci(90))
show("rotate", *rotate(50), *rotate(1))
show("order", *order_of_evaluation(np.zeros(8)), *order_of_evaluation([9] * 8))
show("swap", *swap_elements(ints.copy(), [3, 5, -1]), *swap_elements(ints.tolist(), [3, 5, -1]))
show("swap_rows", swap_rows_of_matrix(np.arange(20.0).reshape(5, 4)))
show("by_temporary", *swap_names_by_temporary(ints), *swap_names_by_temporary([2.5, -1.0, 7.0]))
show(
    "unpack", *unpack_elements(ints.reshape(10, 2)), *unpack_elements(ints.reshape(10, 2).tolist())
)
show("unpack", *unpack_elements([(1, 2), (3, 4), (5, 6)]))
show("unpack_shape", *unpack_shape(np.arange(12).reshape(4, 3)))
show("annotated", *annotated(np.linspace(0, 1, 9)))
show("targets", *targets_see_new_values(np.zeros(6, dtype=int), np.array([5, 3, 1, 0, 2, 4])))


def twice(x, y, n):
    for i in range(n):  # native
        x, x = y, x
        y, y = y, y + 1
    return x, y


def numbers(x, y, n):
    for i in range(n):  # native
        x, y = x, x + y
        (x, y), i = (x, y), i * 2
    return x, y, i


for n in (1, 4, 9):
    print(twice(1, 2, n), numbers(1, 2, n), numbers(0.5, 2.0, n))
