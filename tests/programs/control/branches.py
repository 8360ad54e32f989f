"""if/elif/else, conditional expressions, and/or/not, chained comparisons."""

import numpy as np
from showing import show


def ladder(a, out):
    for i in range(len(a)):  # native
        x = a[i]
        if x < -5:
            out[i] = -2
        elif x < 0:
            out[i] = -1
        elif x == 0:
            out[i] = 0
        elif x <= 5:
            out[i] = 1
        else:
            out[i] = 2
    return out, x


def nested_ifs(A):
    count = 0
    for i in range(A.shape[0]):  # native
        for j in range(A.shape[1]):
            if i > j:
                if A[i, j] > 0:
                    count += 1
                    A[i, j] = -A[i, j]
                elif i - j == 2:
                    A[i, j] = 100
            else:
                if not A[i, j] < 3:
                    A[i, j] *= 2
                    count -= 1
    return A, count


def conditional_expressions(a, b, out):
    for i in range(len(a)):  # native
        out[i] = a[i] if a[i] > b[i] else b[i]
        out[i] += 1 if i % 2 else (2 if i % 3 else 3)
    return out


def operands(a, b):
    # `and` and `or` give one of their operands, not a bool.
    s = 0
    for i in range(len(a)):  # native
        x = a[i] or b[i]
        y = a[i] and b[i]
        z = a[i] or b[i] or 7
        s = s + x - 2 * y + z
    return s, x, y, z


def logic(a, b):
    n = 0
    for i in range(len(a)):  # native
        if a[i] > 0 and b[i] > 0:
            n += 1
        if a[i] > 0 or b[i] > 0 and i > 3:
            n += 10
        if not (a[i] > b[i]):
            n += 100
        if not a[i]:
            n += 1000
        flag = a[i] > 2 and not b[i] < 1
        if flag:
            n += 10000
    return n, flag


def short_circuit(a, idx):
    # The right operand would raise where the left one decides.
    s = 0
    for i in range(len(idx)):  # native
        j = idx[i]
        if j >= 0 and j < len(a) and a[j] > 1:
            s += a[j]
        if j < 0 or j >= len(a) or a[j] <= 1:
            s += 1000
        t = 0 if j == 0 else 60 // j
        s += t
    return s, j, t


def chained(a, lo, hi):
    n = 0
    for x in a:  # native
        if lo < x < hi:
            n += 1
        if lo <= x <= hi != 3:
            n += 10
        if 0 < x > 2:
            n += 100
        if not -1 < x < 1:
            n += 1000
        if lo == lo < x:
            n += 10000
    return n, x


def edges(A, out):
    n, m = A.shape
    for i in range(n):  # native
        for j in range(m):
            s = A[i, j]
            if i > 0:
                s += A[i - 1, j]
            if i < n - 1:
                s += A[i + 1, j]
            if 0 < j < m - 1:
                s += A[i, j - 1] + A[i, j + 1]
            out[i, j] = s
    return out


def truth_of_numbers(a):
    n = 0
    for x in a:  # native
        if x:
            n += 1
        n += 10 if not x else 20
        n += bool(x)
    return n


def comparisons_as_numbers(a, b):
    s = 0
    for i in range(len(a)):  # native
        s += (a[i] > b[i]) + (a[i] == b[i]) * 2
        s = s - (not a[i])
    return s


def bool_variables(a):
    seen = False
    every = True
    flips = 0
    for x in a:  # native
        was = seen
        seen = seen or x > 3
        every = every and x > -100
        if seen != was:
            flips += 1
    return seen, every, flips, was


def pass_and_constants(a):
    n = 0
    for x in a:  # native
        if True:
            n += 1
        if 0:
            n += 1000
        if x > 2:
            pass
        else:
            n += 10
        "a string that stands alone"
        ...
    return n


def mixed_int_float_compare(ints, floats):
    n = 0
    for i in ints:  # native
        for f in floats:
            if i < f:
                n += 1
            if i == f:
                n += 100
            if i >= f:
                n += 10000
    return n


a = np.arange(-10, 11)
b = (np.arange(21) * 8 % 13) - 6
show("ladder", *ladder(a, np.zeros(21)), *ladder((a / 2).tolist(), [0] * 21))
show("nested_ifs", *nested_ifs(np.arange(-12, 13).reshape(5, 5)))
show("conditional", conditional_expressions(a, b, np.zeros(21, dtype=np.int64)))
show("conditional", conditional_expressions(a.tolist(), b.tolist(), [0] * 21))
show("conditional", conditional_expressions(a / 3, b / 3, np.zeros(21)))
show("operands", *operands(a, b), *operands(a.tolist(), b.tolist()))
show("operands", *operands((a / 4).tolist(), (b / 4).tolist()))
show("logic", *logic(a, b), *logic(a.tolist(), b.tolist()), *logic(a * 0.3, b * 0.3))
idx = np.array([0, 1, 2, -1, 3, 99, 5, -7, 4])
show("short_circuit", *short_circuit(np.arange(6), idx))
show("short_circuit", *short_circuit(list(range(6)), idx.tolist()))
show("chained", *chained(a, -3, 4), *chained(a.tolist(), -3, 4), *chained(a / 3, -1.0, 2.5))
show("chained", *chained([float("nan"), 1.0, 2.0, float("inf")], 0.0, 3.0))
show("edges", edges(np.arange(30.0).reshape(5, 6), np.zeros((5, 6))))
show("truth", truth_of_numbers(a), truth_of_numbers([0.0, -0.0, 1e-300, float("nan"), 2]))
show("truth", truth_of_numbers([True, False, True]), truth_of_numbers(b * (1 + 2j)))
show("as_numbers", comparisons_as_numbers(a.tolist(), b.tolist()))
show("bools", *bool_variables(a), *bool_variables(a.tolist()), *bool_variables([1, 2]))
show("pass", pass_and_constants(a))
show(
    "int_float",
    mixed_int_float_compare(
        [0, 1, -1, 2**53, 2**53 + 1, 2**62, -(2**53) - 1],
        [0.0, -0.0, 1.0, 0.5, 2.0**53, 2.0**62, -(2.0**53), float("nan"), float("inf")],
    ),
)
