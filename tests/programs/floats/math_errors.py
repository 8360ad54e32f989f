"""What functions of math raise: type, message, line, and what was written before."""

import math

import numpy as np
from showing import attempt, show

out = [0.0] * 6


def square_roots(xs):
    for i in range(len(xs)):  # native
        out[i] = math.sqrt(xs[i])
    return out


def logarithms(xs):
    s = 0.0
    for x in xs:  # native
        s += math.log(x)
    return s


def logarithms_base_2(xs):
    s = 0.0
    for x in xs:  # native
        s += math.log2(x)
    return s


def logarithms_base_10(xs):
    s = 0.0
    for x in xs:  # native
        s += math.log10(x)
    return s


def log_base(xs, base):
    s = 0.0
    for x in xs:  # native
        s += math.log(x, base)
    return s


def log_one_plus(xs):
    s = 0.0
    for x in xs:  # native
        s += math.log1p(x)
    return s


def exponentials(xs):
    s = 0.0
    for x in xs:  # native
        s += math.exp(x)
    return s


def exponentials_minus_one(xs):
    s = 0.0
    for x in xs:  # native
        s += math.expm1(x)
    return s


def hyperbolic(xs):
    s = 0.0
    for x in xs:  # native
        s += math.sinh(x)
        s += math.cosh(x)
    return s


def arcs(xs):
    s = 0.0
    for x in xs:  # native
        s += math.asin(x)
        s += math.acos(x)
    return s


def area_functions(xs):
    s = 0.0
    for x in xs:  # native
        s += math.atanh(x)
        s += math.acosh(1.0 + x)
    return s


def sines(xs):
    s = 0.0
    for x in xs:  # native
        s += math.sin(x)
        s += math.cos(x)
        s += math.tan(x)
    return s


def powers(xs, y):
    s = 0.0
    for x in xs:  # native
        s += math.pow(x, y)
    return s


def remainders(xs, y):
    s = 0.0
    for x in xs:  # native
        s += math.fmod(x, y)
    return s


def floors(xs):
    s = 0
    for x in xs:  # native
        s += math.floor(x)
    return s


def ceils(xs):
    s = 0
    for x in xs:  # native
        s += math.ceil(x)
    return s


def truncs(xs):
    s = 0
    for x in xs:  # native
        s += math.trunc(x)
    return s


def wrong_type(xs):
    s = 0.0
    for x in xs:
        s += math.sqrt(x)
    return s


def swallowed(xs):
    bad = 0
    for k in range(len(xs)):
        try:
            for i in range(k, len(xs)):  # native
                out[i] = math.sqrt(xs[i])
        except ValueError:
            bad += 1
    return bad, i


def infinite_argument(xs):
    s = 0.0
    for x in xs:  # native
        s += math.exp(x) + math.log(x) + math.sqrt(x) + math.cosh(x)
    return s


good = [0.5, 1.0, 0.25]
nan, inf = float("nan"), float("inf")
for f in (square_roots, logarithms, logarithms_base_2, logarithms_base_10, log_one_plus,
          exponentials, exponentials_minus_one, hyperbolic, arcs, area_functions, sines,
          floors, ceils, truncs, infinite_argument):  # fmt: skip
    attempt(f, good)
    for bad in (-1.0, -0.5, 0.0, -0.0, 2.0, -2.0, 1e3, -1e3, nan, inf, -inf, 1e300):
        attempt(f, [*good, bad, 0.125])
        attempt(f, np.array([*good, bad, 0.125]))
    show("out", out)
for y in (0.5, 2.0, -1.0, 1e9, nan, inf, -inf, 0.0):
    for xs in (good, [2.0, -8.0], [2.0, 0.0], [0.0, -0.0], [1e200, 3.0], [inf, 1.0], [nan, 1.0]):
        attempt(powers, xs, y)
        attempt(remainders, xs, y)
for base in (2.0, 1.0, 0.0, -1.0, inf, nan):
    attempt(log_base, good, base)
attempt(log_base, good, 10)
attempt(wrong_type, [4.0, "x"])
attempt(wrong_type, [4.0, 1j])
attempt(wrong_type, [4.0, None])
show("swallowed", *swallowed([1.0, 4.0, -1.0, 9.0]), out)
attempt(logarithms, [10, 10**400])
attempt(square_roots, [10, 10**400])
attempt(floors, [10.5, 1e300])
