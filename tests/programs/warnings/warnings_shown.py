"""NumPy's warnings: category, message and line, recorded and on standard error."""

import warnings

import numpy as np
from showing import attempt, show


def recorded(function, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        result = function(*arguments)
    show(function.__name__, result)
    print("   ", *[(w.category.__name__, str(w.message), w.lineno) for w in caught], sep="\n    ")


def recorded_always(function, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*arguments)
    show(function.__name__, result, len(caught), sorted({str(w.message) for w in caught}))


def divide(a, b, out):
    for i in range(len(a)):  # native
        out[i] = a[i] / b[i]
    return out


def overflow_float(a):
    s = 1.0
    for x in a:  # native
        s = s * x
    return s


def overflow_float32(a):
    s = np.float32(1)
    for x in a:  # native
        s = s * x
    return s


def overflow_int(a):
    s = 0
    for x in a:
        s += x
    return s


def invalid_sqrt(a, out):
    for i in range(len(a)):  # native
        out[i] = np.sqrt(a[i])
    return out


def log_of_zero(a, out):
    for i in range(len(a)):  # native
        out[i] = np.log(a[i])
    return out


def exp_overflow(a, out):
    for i in range(len(a)):  # native
        out[i] = np.exp(a[i])
    return out


def several(a):
    s = 0.0
    for x in a:  # native
        y = x / 0.0 if x > 5 else x
        z = x - x / (x - x + 1)
        s += np.log(x - 3)
        s += z + y * 0
    return s


def unused_result(a):
    for x in a:  # native
        y = x * 1e300
        y = 1.0
    return y


def inf_minus_inf(a):
    s = 0.0
    for x in a:  # native
        s += x - x
    return s


def not_taken(a, b):
    s = 0.0
    for i in range(len(a)):  # native
        if b[i] != 0:
            s += a[i] / b[i]
        if a[i] > 0:
            s += np.log(a[i]) + np.sqrt(a[i])
    return s


def underflow(a):
    s = 1.0
    for x in a:  # native
        s = s * x
    return s


def cast_overflow(a, out):
    for i in range(len(a)):  # native
        out[i] = a[i]
    return out


def power_overflow(a):
    s = 0.0
    for x in a:  # native
        s += x**400
    return s


def nan_is_quiet(a):
    s = 0.0
    for x in a:  # native
        s += x * 2 + np.sqrt(x) + np.exp(x)
        if x < 1:
            s += 1
    return s


def python_float_is_quiet(xs):
    s = 1.0
    for x in xs:  # native
        s = s * x
    t = s
    for x in xs:  # native
        t = t - x * s
    return s, t


def complex_to_real(a, out):
    for i in range(len(a)):
        out[i] = a[i]
    return out


def two_lines(a):
    s = 0.0
    for x in a:
        s += (
            x / 0.0
            + x * 1e308
        )  # fmt: skip
    return s


a = np.array([1.0, 2.0, -3.0, 4.0])
zero = np.array([1.0, 0.0, 2.0, 0.0])
ok = np.array([1.0, 2.0, 4.0, 8.0])
for record in (recorded, recorded_always):
    record(divide, a, ok, np.zeros(4))
    record(divide, a, zero, np.zeros(4))
    record(divide, zero, zero, np.zeros(4))
    record(divide, np.arange(4), np.array([1, 0, 2, 0]), np.zeros(4))
    record(divide, np.float32(a), np.float32(zero), np.zeros(4, dtype=np.float32))
    record(overflow_float, np.array([1e200, 1e200, 2.0]))
    record(overflow_float32, np.float32([1e30, 1e30]))
    record(overflow_int, np.array([100, 100], dtype=np.int8))
    record(overflow_int, np.array([2**62, 2**62]))
    record(invalid_sqrt, a, np.zeros(4))
    record(invalid_sqrt, ok, np.zeros(4))
    record(log_of_zero, zero, np.zeros(4))
    record(log_of_zero, a, np.zeros(4))
    record(exp_overflow, np.array([1.0, 800.0]), np.zeros(2))
    record(exp_overflow, np.float32([1.0, 100.0]), np.zeros(2))
    record(several, np.array([4.0, 5.0, 6.0, 2.0]))
    record(unused_result, np.array([1.0, 1e10]))
    record(inf_minus_inf, np.array([1.0, np.inf]))
    record(not_taken, a, zero)
    record(underflow, np.array([1e-200, 1e-200]))
    record(cast_overflow, np.array([1.0, 1e300]), np.zeros(2, dtype=np.float32))
    record(power_overflow, np.array([1.0, 10.0]))
    record(nan_is_quiet, np.array([1.0, np.nan]))
    record(complex_to_real, np.array([1 + 2j]), np.zeros(1))
    record(two_lines, np.array([1.0, 5.0]))
attempt(python_float_is_quiet, [1e200, 1e200])
with np.errstate(all="ignore"):
    show("ignored", divide(a, zero, np.zeros(4)), overflow_float(np.array([1e200, 1e200])))
with np.errstate(divide="raise"):
    out = np.zeros(4)
    attempt(divide, a, zero, out)
    show("left", out)
with np.errstate(over="raise", invalid="print"):
    attempt(overflow_float, np.array([1e200, 1e200]))
    attempt(invalid_sqrt, a, np.zeros(4))
with np.errstate(under="warn"):
    recorded(underflow, np.array([1e-200, 1e-200]))
with np.errstate(invalid="call"):
    old = np.seterrcall(lambda kind, flag: print("called", kind, flag))
    invalid_sqrt(a, np.zeros(4))
    np.seterrcall(old)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    out = np.zeros(4)
    attempt(divide, a, zero, out)
    show("left", out)
    attempt(overflow_int, np.array([100, 100], dtype=np.int8))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    show("ignored", divide(a, zero, np.zeros(4)))
print("now to standard error")
divide(a, zero, np.zeros(4))
divide(a, zero, np.zeros(4))
invalid_sqrt(a, np.zeros(4))
overflow_int(np.array([100, 100], dtype=np.int8))
two_lines(np.array([1.0, 5.0]))
show("not taken", not_taken(a, zero))
