"""NumPy functions of scalars: NumPy's own bits, which differ from math's."""

import numpy as np
from numpy import minimum
from showing import show

X = np.concatenate([[0.0, -0.0, 1.0, -1.0, 0.5], np.sin(np.arange(150.0)) * 20])
P = np.abs(X) + 0.01
U = np.sin(np.arange(100.0)) * 0.99


def use_sqrt(a, out):
    for i in range(len(a)):  # native
        out[i] = np.sqrt(a[i]) + np.cbrt(a[i])
    return out, np.sqrt(a[0])


def use_exp(a, out):
    for i in range(len(a)):  # native
        out[i] = np.exp(a[i]) + np.exp2(a[i] * 0.5) - np.expm1(a[i] * 0.25)
    return out


def use_log(a, out):
    for i in range(len(a)):  # native
        out[i] = np.log(a[i]) + 2 * np.log2(a[i]) + 4 * np.log10(a[i]) + 8 * np.log1p(a[i])
    return out


def use_sin(a, out):
    for i in range(len(a)):  # native
        out[i] = np.sin(a[i]) + 2 * np.cos(a[i]) + 4 * np.tan(a[i])
    return out


def use_arcs(a, out):
    for i in range(len(a)):  # native
        out[i] = np.arcsin(a[i]) + 2 * np.arccos(a[i]) + 4 * np.arctan(a[i])
        out[i] += np.arctan2(a[i], 0.5) + np.arctan2(a[i], -a[i])
    return out


def use_hyperbolic(a, out):
    for i in range(len(a)):  # native
        out[i] = np.sinh(a[i]) + np.cosh(a[i]) + np.tanh(a[i])
        out[i] += np.arcsinh(a[i]) + np.arctanh(a[i]) + np.arccosh(a[i] * a[i] + 1)
    return out


def use_rounding(a, out):
    for i in range(len(a)):  # native
        out[i] = np.floor(a[i]) + 10 * np.ceil(a[i]) + 100 * np.trunc(a[i]) + 1000 * np.rint(a[i])
    return out


def use_min_max(a, b, out):
    for i in range(len(a)):  # native
        out[i] = np.minimum(a[i], b[i]) * 3 - np.maximum(a[i], 0.25) + minimum(b[i], 0.5)
    return out


def use_signs(a, out):
    for i in range(len(a)):  # native
        out[i] = np.abs(a[i]) + np.fabs(a[i]) + np.absolute(a[i]) + np.sign(a[i])
        out[i] += np.copysign(2.0, a[i]) + np.square(a[i])
    return out


def use_binary(a, b, out):
    for i in range(len(a)):  # native
        out[i] = np.hypot(a[i], b[i]) + np.power(np.abs(b[i]), 1.5) + np.fmod(a[i], 0.75)
        out[i] += np.add(a[i], b[i]) - np.multiply(a[i], 2.0) + np.divide(b[i], 3.0)
    return out


def use_mod(a, b, out):
    for i in range(len(a)):  # native
        out[i] = np.mod(a[i], b[i]) + np.remainder(a[i], -3) + np.floor_divide(a[i], b[i])
    return out


def use_tests(a):
    n = 0
    for x in a:  # native
        if np.isnan(x):
            n += 1
        if np.isinf(x):
            n += 100
        if np.isfinite(x) and not np.logical_not(x):
            n += 10000
        if np.logical_and(x > 0, x < 5) or np.logical_or(x < -1, x == 7):
            n += 1000000
    return n


def use_pi(n):
    s = 0.0
    for i in range(n):  # native
        s += np.pi * i + np.e
        if i < np.inf:
            s -= 1
    return s


def types_of(x):
    for _ in range(1):  # native
        a = np.sqrt(x)
        b = np.abs(x)
        c = np.minimum(x, 1)
        d = np.floor(x)
        e = np.square(x)
        f = np.sign(x)
        g = np.maximum(x, 0.5)
        h = np.add(x, 1)
        k = np.isnan(x)
    return a, b, c, d, e, f, g, h, k


def of_ints(n):
    s = 0.0
    for i in range(1, n):  # native
        s += np.sqrt(i) + np.exp(-i) + np.sin(i) + np.log(i) + np.arctan2(i, 2)
    return s


def same_as_array(a):
    # A scalar call and a call on the whole array need not agree; here only scalars count.
    s = 0.0
    for x in a:  # native
        s += np.exp(x) - np.tanh(x)
    return s


def clip_and_where(a):
    s = 0.0
    for x in a:
        s += np.clip(x, -1, 1) + np.where(x > 0, 1.0, 2.0)
    return s


def keyword(a):
    s = 0.0
    for x in a:
        s += np.add(x, 1, dtype=np.float32)
    return s


def both(function, *arrays):
    zero = np.zeros(len(arrays[0]))
    show(function.__name__, function(*arrays, zero.copy()))
    show(function.__name__, function(*map(np.float32, arrays), np.float32(zero)))
    show(function.__name__, function(*(a.tolist() for a in arrays), zero.tolist())[:3])


both(use_sqrt, P)
both(use_exp, X)
both(use_log, P)
both(use_sin, X)
both(use_arcs, U)
both(use_hyperbolic, U)
both(use_rounding, X)
both(use_min_max, X, X[::-1].copy())
both(use_signs, X)
both(use_binary, X, P)
both(use_mod, X, P)
show("mod", use_mod(np.arange(1, 9), np.arange(8, 0, -1), np.zeros(8, dtype=np.int64)))
show("tests", use_tests(X), use_tests(np.array([np.nan, np.inf, -np.inf, 0.0])))
show("tests", use_tests(X.tolist()), use_tests([1, 7, -3]))
show("pi", use_pi(20), of_ints(12), same_as_array(X), same_as_array(X.tolist()))
for x in (2, 2.5, True, np.float32(2.5), np.int8(3), np.int16(3), np.int32(3), np.int64(3),
          np.uint8(3), np.uint64(3), np.float64(0.1)):  # fmt: skip
    if type(x) not in (bool,):
        show("types", type(x).__name__, *types_of(x))
show("clip", clip_and_where(X[:5]), keyword(X[:4]))
