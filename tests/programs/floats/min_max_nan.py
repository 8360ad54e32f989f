"""min and max keep the first of equals and depend on order with NaN; np.minimum does not."""

import numpy as np
from showing import show

nan, inf = float("nan"), float("inf")
VALUES = [1.0, nan, -0.0, 0.0, -inf, inf, 2.5, nan, -1.0]


def builtin_pairs(a, b, out):
    for i in range(len(a)):  # native
        for j in range(len(b)):
            out[i, j] = min(a[i], b[j])
            out[j, i] += max(a[i], b[j])
    return out


def builtin_running(a):
    lo = hi = a[0]
    for x in a:  # native
        lo = min(lo, x)
        hi = max(hi, x)
    return lo, hi


def builtin_running_reversed(a):
    lo = hi = a[0]
    for x in a:  # native
        lo = min(x, lo)
        hi = max(x, hi)
    return lo, hi


def by_comparison(a):
    lo = hi = a[0]
    for x in a:  # native
        if x < lo:
            lo = x
        if not x <= hi:
            hi = x
    return lo, hi


def by_expression(a):
    lo = hi = a[0]
    for x in a:  # native
        lo = x if x < lo else lo
        hi = hi if hi > x else x
    return lo, hi


def three(a, out):
    for i in range(len(a)):  # native
        out[i] = min(a[i], a[i - 1], a[i - 2]) + max(a[i], a[i - 1], a[i - 2], 0.5)
    return out


def numpy_running(a):
    lo = hi = a[0]
    for x in a:  # native
        lo = np.minimum(lo, x)
        hi = np.maximum(hi, x)
    return lo, hi


def numpy_pairs(a, b, out):
    for i in range(len(a)):  # native
        for j in range(len(b)):
            out[i, j] = np.minimum(a[i], b[j])
            out[j, i] += np.maximum(a[i], b[j])
    return out


def zero_signs(a, b):
    s = t = u = v = 0.0
    for i in range(len(a)):  # native
        s = min(a[i], b[i])
        t = max(a[i], b[i])
        u = min(b[i], a[i])
        v = max(b[i], a[i])
    return s, t, u, v


def numpy_zero_signs(a, b):
    s = t = 0.0
    for i in range(len(a)):  # native
        s = np.minimum(a[i], b[i])
        t = np.maximum(a[i], b[i])
    return s, t


def type_of_winner(a, b):
    lo = hi = None
    for i in range(len(a)):
        lo = min(a[i], b[i])
        hi = max(a[i], b[i])
    return lo, hi


def arg_min(a):
    best = a[0]
    at = 0
    for i in range(len(a)):  # native
        if a[i] < best:
            best = a[i]
            at = i
    return at, best


def clamp(a, lo, hi):
    for i in range(len(a)):  # native
        a[i] = max(lo, min(a[i], hi))
    return a


def nan_compares(a):
    n = 0
    for x in a:  # native
        if x == x:
            n += 1
        if x != x:
            n += 10
        if x < 1 or x >= 1:
            n += 100
        if not x > 0:
            n += 1000
        if x:
            n += 10000
    return n


def int_extremes(a):
    lo, hi = a[0], a[0]
    for i in range(1, len(a)):  # native
        lo = min(lo, a[i])
        hi = max(hi, a[i])
    return lo, hi


array = np.array(VALUES)
for k in range(len(VALUES)):
    turned = VALUES[k:] + VALUES[:k]
    x = np.array(turned)
    for f in (builtin_running, builtin_running_reversed, by_comparison, by_expression, arg_min):
        show(f.__name__, *f(turned), *f(x), *f(np.float32(x)))
    show("numpy", *numpy_running(x), *numpy_running(np.float32(x)), *numpy_running(turned))
    show("three", three(x, np.zeros(9)), three(turned, [0.0] * 9))
    show("clamp", clamp(x.copy(), -0.5, 2), clamp(turned[:], 0.0, nan), clamp(turned[:], nan, 1.0))
with np.errstate(all="ignore"):
    show("pairs", builtin_pairs(array, array[::-1], np.zeros((9, 9))))
    show("pairs", numpy_pairs(array, array[::-1], np.zeros((9, 9))))
show("pairs", builtin_pairs(VALUES, VALUES, np.zeros((9, 9))))
show("zero", *zero_signs([0.0], [-0.0]), *zero_signs(np.array([0.0]), np.array([-0.0])))
show("zero", *zero_signs(np.array([0.0] * 40), np.array([-0.0] * 40)), *zero_signs([0], [-0.0]))
show("zero", *numpy_zero_signs([0.0], [-0.0]), *numpy_zero_signs(np.array([-0.0]), np.array([0.0])))
show(
    "winner", *type_of_winner([1], [1.0]), *type_of_winner([1.0], [1]), *type_of_winner([True], [1])
)
show("winner", *type_of_winner(np.array([1]), [1.0]), *type_of_winner([2], np.array([2.0])))
show("nan", nan_compares(VALUES), nan_compares(array), nan_compares(np.float32(array)))
for t in (np.int8, np.uint8, np.int64, np.uint64):
    show("ints", *int_extremes(np.array([5, 3, 100, 7], dtype=t)))
show(
    "ints",
    *int_extremes([5, -3, 100]),
    *int_extremes([2**62, -(2**62)]),
    *int_extremes([True, False]),
)
