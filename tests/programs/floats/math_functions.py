"""The functions and constants of math, to the last bit."""

import math
from math import cos, pi
from math import sqrt as root

import numpy as np
from showing import attempt, show

POINTS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.75,
    1e-9,
    -1e-300,
    3.14159,
    10.25,
    -20.5,
    700.0,
    1e10,
    -1e18,
]
SMALL = [x for x in POINTS if abs(x) <= 1.0] + [k * 0.01 - 0.5 for k in range(100)]
POSITIVE = [abs(x) + 1e-12 for x in POINTS] + [k * 0.37 + 0.01 for k in range(200)]
ALL = POINTS + [math.sin(k) * 30.0 for k in range(200)]


def use_sqrt(xs, out):
    for i in range(len(xs)):  # native
        out[i] = math.sqrt(xs[i]) + root(xs[i] * 2)
    return out


def use_exp(xs, out):
    for i in range(len(xs)):  # native
        out[i] = math.exp(xs[i]) + math.exp(-xs[i] * 0.5)
    return out


def use_expm1(xs, out):
    for i in range(len(xs)):  # native
        out[i] = math.expm1(xs[i]) - math.log1p(xs[i] * 0.5)
    return out


def use_logs(xs, out):
    for i in range(len(xs)):  # native
        out[i] = math.log(xs[i]) + math.log2(xs[i]) * 3 + math.log10(xs[i]) * 5
    return out


def use_log_base(xs, out):
    for i in range(len(xs)):  # native
        out[i] = math.log(xs[i], 3.0)
    return out


def use_trigonometry(xs, out):
    for i in range(len(xs)):  # native
        out[i] = math.sin(xs[i]) + 2 * cos(xs[i]) + 4 * math.tan(xs[i])
    return out


def use_inverse(xs, out):
    for i in range(len(xs)):  # native
        out[i] = math.asin(xs[i]) + 2 * math.acos(xs[i]) + 4 * math.atan(xs[i])
        out[i] += math.atan2(xs[i], 0.3) - math.atan2(-0.0, xs[i])
    return out


def use_hyperbolic(xs, out):
    for i in range(len(xs)):  # native
        out[i] = math.sinh(xs[i]) + 2 * math.cosh(xs[i]) + 4 * math.tanh(xs[i])
        out[i] += math.asinh(xs[i]) + math.acosh(1 + xs[i] * xs[i]) + math.atanh(xs[i] * 0.9)
    return out


def use_rounding(xs, out):
    for i in range(len(xs)):  # native
        out[i] = math.floor(xs[i]) + 10 * math.ceil(xs[i]) + 100 * math.trunc(xs[i])
    return out


def use_signs(xs, out):
    for i in range(len(xs)):  # native
        out[i] = math.fabs(xs[i]) + math.copysign(3.0, xs[i]) * 10
        out[i] += math.fmod(xs[i], 0.7) + math.fmod(-7.5, abs(xs[i]) + 1)
    return out


def use_powers(xs, out):
    for i in range(len(xs)):  # native
        out[i] = math.pow(xs[i], 2.0) + math.pow(xs[i], 0.5) + math.pow(2.0, -xs[i])
    return out


def use_hypot(xs, out):
    for i in range(len(xs)):
        out[i] = math.hypot(xs[i], 3.0) + math.dist((xs[i],), (1.0,))
    return out


def use_degrees(xs, out):
    for i in range(len(xs)):  # native
        out[i] = math.degrees(xs[i]) + math.radians(xs[i])
    return out


def use_errors(xs, out):
    for i in range(len(xs)):  # native
        out[i] = math.erf(xs[i]) + 10 * math.erfc(xs[i])
    return out


def use_gamma(xs, out):
    for i in range(len(xs)):
        out[i] = math.gamma(xs[i]) + math.lgamma(xs[i])
    return out


def use_tests(xs):
    n = 0
    for x in xs:  # native
        if math.isnan(x):
            n += 1
        elif math.isinf(x):
            n += 100
        if math.isfinite(x):
            n += 10000
    return n


def use_isclose(xs):
    n = 0
    for x in xs:
        n += math.isclose(x, 1.0, rel_tol=0.5)
    return n


def use_integers(ns):
    s = 0
    for n in ns:
        s += math.gcd(n, 36) + math.isqrt(n) + math.factorial(n % 6) + math.comb(n % 9, 2)
    return s


def use_constants(xs):
    s = 0.0
    for x in xs:  # native
        s += x * math.pi + math.e - math.tau * pi
        if x < math.inf:
            s -= 1.0
    return s


def of_ints(ns):
    s = 0.0
    for n in ns:  # native
        s += math.sqrt(n) + math.sin(n) + math.exp(-n) + math.atan2(n, 3) + math.pow(n, 2)
        s += math.floor(n) + math.ceil(n) + math.fabs(n) + math.log(n + 1)
    return s


def of_bools(flags):
    s = 0.0
    for f in flags:  # native
        s += math.sqrt(f) + math.cos(f)
    return s


def aliased(xs):
    f = math.sin
    s = 0.0
    for x in xs:  # native
        s += f(x)
    return s


def nan_and_inf(xs, out):
    for i in range(len(xs)):  # native
        out[i] = math.sqrt(xs[i]) + math.exp(xs[i]) + math.atan(xs[i]) + math.tanh(xs[i])
    return out


def form(function, xs):
    show(function.__name__, function(xs, [0.0] * len(xs)))
    show(function.__name__, function(np.array(xs), np.zeros(len(xs))))


form(use_sqrt, POSITIVE)
form(use_exp, [x for x in ALL if abs(x) < 300])
form(use_expm1, SMALL)
form(use_logs, POSITIVE)
form(use_log_base, POSITIVE)
form(use_trigonometry, ALL)
form(use_inverse, SMALL)
form(use_hyperbolic, SMALL)
form(use_rounding, [x for x in ALL if abs(x) < 1e15])
form(use_signs, ALL)
form(use_powers, [x for x in POSITIVE if x < 1e9])
form(use_hypot, ALL)
form(use_degrees, ALL)
form(use_errors, SMALL)
form(use_gamma, [0.5, 1.0, 2.5, 10.0])
show("float32", use_sqrt(np.float32(POSITIVE), np.zeros(len(POSITIVE), dtype=np.float32)))
show("float32", use_trigonometry(np.float32(ALL), np.zeros(len(ALL), dtype=np.float32)))
attempt(use_rounding, np.float32([0.5, -2.5, 7.0]), np.zeros(3, dtype=np.int64))
show("tests", use_tests([1.0, float("nan"), float("inf"), -float("inf"), 0.0]))
show("tests", use_tests(np.array([1.0, np.nan, np.inf])), use_tests([1, 2, True]))
show("isclose", use_isclose(ALL), use_integers([1, 2, 36, 48]))
show("constants", use_constants(ALL), use_constants(np.array(SMALL)))
show("of_ints", of_ints([1, 2, 3, 100]), of_ints(np.arange(1, 9)), of_ints(np.uint8([3, 200])))
show("of_bools", of_bools([True, False]), of_bools(np.array([True, False])))
show("aliased", aliased(ALL), aliased(np.array(ALL)))
form(nan_and_inf, [float("nan"), float("inf"), 0.0, 4.0])
