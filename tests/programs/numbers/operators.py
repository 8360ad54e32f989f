"""Operators on pairs of kinds of numbers, at the edges of both: values, types, warnings, exceptions.

One operator for each pair of kinds, so that all have their turn; with the argument `all`, every operator for every pair.
"""

import sys
import warnings

import numpy as np
from showing import bits

INF, NAN = float("inf"), float("nan")
FLOATS = [0.0, -0.0, 1.0, -1.0, 2.5, -3.0, 1e300, -1e-300, INF, -INF, NAN]


def edges(kind):
    if kind in ("int", "float", "bool"):
        return {
            "int": [0, 1, -1, 2, -3, 63, 64, 2**31, -(2**63), 2**63 - 1],
            "float": FLOATS,
            "bool": [True, False],
        }[kind]
    dtype = np.dtype(kind)
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        some = [0, 1, 2, 3, 7, ends.max, ends.max - 1, ends.min, ends.min + 1]
        return np.array(some + ([-1, -2] if dtype.kind == "i" else []), dtype=dtype)
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            return np.array(FLOATS).astype(dtype)
    return np.array([True, False])


def add(a, b):
    z = None
    for i in range(len(a)):  # native
        z = a[i] + b[i]
    return z


def subtract(a, b):
    z = None
    for i in range(len(a)):  # native
        z = a[i] - b[i]
    return z


def multiply(a, b):
    z = None
    for i in range(len(a)):  # native
        z = a[i] * b[i]
    return z


def divide(a, b):
    z = None
    for i in range(len(a)):  # native
        z = a[i] / b[i]
    return z


def floor_divide(a, b):
    z = None
    for i in range(len(a)):  # native
        z = a[i] // b[i]
    return z


def remainder(a, b):
    z = None
    for i in range(len(a)):  # native
        z = a[i] % b[i]
    return z


def power(a, b):
    z = None
    for i in range(len(a)):  # native
        z = a[i] ** b[i]
    return z


def left(a, b):
    z = None
    for i in range(len(a)):  # native
        z = a[i] << b[i]
    return z


def right(a, b):
    z = None
    for i in range(len(a)):  # native
        z = a[i] >> b[i]
    return z


def both(a, b):
    z = None
    for i in range(len(a)):  # native
        z = a[i] & b[i]
    return z


def differs(a, b):
    z = None
    for i in range(len(a)):  # native
        z = a[i] ^ b[i]
    return z


def ordered(a, b):
    z = 0
    for i in range(len(a)):  # native
        z = (a[i] < b[i]) + 2 * (a[i] <= b[i]) + 4 * (a[i] == b[i]) + 8 * (a[i] != b[i])
    return z


def least(a, b):
    z = None
    for i in range(len(a)):  # native
        z = min(a[i], b[i])
    return z


def greatest(a, b):
    z = None
    for i in range(len(a)):  # native
        z = max(a[i], b[i])
    return z


def quotients(a, b):
    z = None
    for i in range(len(a)):
        z = divmod(a[i], b[i])
    return z


def either(a, b):
    z = None
    for i in range(len(a)):
        z = a[i] and b[i]
        z = z or b[i]
    return z


def accumulated(a, b):
    z = 0
    for i in range(len(a)):
        z += a[i]
        z -= b[i]
    return z


OPERATORS = [add, subtract, multiply, divide, floor_divide, remainder, power, left, right, both,
             differs, ordered, least, greatest, quotients, either, accumulated]  # fmt: skip
KINDS = ["int", "float", "bool", "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16",
         "uint32", "uint64", "float32", "float64"]  # fmt: skip


def shown(function, a, b):
    """One pair through a loop of one turn; what it gives, or raises, and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        try:
            z = function(a, b)
            text = f"{type(z).__name__} {bits(z)}"
        except Exception as error:
            text = f"{type(error).__name__} {error}"
    return text + "".join(f" [{w.message}]" for w in caught)


def enormous(function, x, y):
    """Whether CPython would take minutes, and gigabytes, for one of its ints."""
    if not (isinstance(x, int) and isinstance(y, int)):
        return False
    if function is power:
        return abs(x) > 1 and y * x.bit_length() > 1_000_000
    return function is left and x != 0 and y > 1_000_000


def table(k, l, function):
    a, b = edges(k), edges(l)
    print(k, l, function.__name__)
    for i in range(len(a)):
        for j in range(len(b)):
            if enormous(function, a[i], b[j]):
                continue
            text = shown(function, a[i : i + 1], b[j : j + 1])
            print("    ", bits(a[i]), bits(b[j]), text)


turn = 0
for k in KINDS:
    for l in KINDS:
        for function in OPERATORS if "all" in sys.argv else [OPERATORS[turn % 17]]:
            table(k, l, function)
        turn += 5
