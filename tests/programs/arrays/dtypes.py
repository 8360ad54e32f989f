"""Every element type through the same loops: read, write, accumulate, compare, convert."""

import numpy as np
from showing import show

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
ALL = ["bool", *INTS, *FLOATS, "complex128"]


def copy(a, b):
    for i in range(len(a)):  # native
        b[i] = a[i]
    return b


def fill(a):
    for i in range(len(a)):  # native
        a[i] = i % 2
    return a


def total(a):
    s = 0
    for i in range(len(a)):  # native
        s += a[i]
    return s


def total_from_first(a):
    s = a[0]
    for x in a:  # native
        s = s + x
    return s


def arithmetic(a, b, c):
    for i in range(len(a)):  # native
        c[i] = (a[i] + b[i]) * a[i] - b[i]
    return c


def with_constants(a, b):
    for i in range(len(a)):  # native
        b[i] = a[i] * 3 + 1
        b[i] += 2
    return b


def compare(a, b):
    n = 0
    for i in range(len(a)):  # native
        if a[i] < b[i]:
            n += 1
        if a[i] == b[i]:
            n += 100
        if a[i] >= 2:
            n += 10000
        if a[i] != 0:
            n += 1000000
    return n


def equal(a, b):
    n = 0
    for i in range(len(a)):  # native
        if a[i] == b[i]:
            n += 1
        if a[i]:
            n += 100
    return n


def bits(a, b, c):
    for i in range(len(a)):  # native
        c[i] = (a[i] & b[i]) | (a[i] ^ 5)
        c[i] ^= ~b[i]
    return c


def shifts(a, c):
    for i in range(len(a)):  # native
        c[i] = (a[i] << 1) + (a[i] >> 1)
    return c


def divide(a, b, c):
    for i in range(len(a)):  # native
        c[i] = a[i] / b[i]
    return c


def floor_divide(a, b, c):
    for i in range(len(a)):  # native
        c[i] = a[i] // b[i] + a[i] % b[i]
    return c


def extremes(a):
    lo = hi = a[0]
    at = 0
    for i in range(1, len(a)):  # native
        if a[i] < lo:
            lo = a[i]
        if a[i] > hi:
            hi = a[i]
            at = i
    return lo, hi, at


def matrix(A, B):
    for i in range(A.shape[0]):  # native
        for j in range(A.shape[1]):
            B[j, i] = A[i, j] + A[i, j - 1]
    return B


def as_index(a, b):
    s = 0
    for i in range(len(a)):  # native
        s += b[a[i]]
    return s


def negate(a, c):
    for i in range(len(a)):  # native
        c[i] = -a[i]
        c[i] += +a[i] + abs(a[i])
    return c


def logical(a, b, c):
    for i in range(len(a)):  # native
        c[i] = (a[i] and b[i]) or (not a[i] and i > 2)
    return c


def bool_operators(a, b, c):
    for i in range(len(a)):  # native
        c[i] = (a[i] & b[i]) | (a[i] ^ (i % 2 == 0))
        c[i] &= ~b[i]
        c[i] |= a[i] > b[i]
    return c


def bool_sums(a, b):
    n = 0
    for i in range(len(a)):  # native
        n += a[i] + b[i]
        n += a[i] * b[i]
    return n


def last_types(a):
    x = y = None
    for i in range(len(a)):  # native
        x = a[i]
        y = x + x
    return x, y


def values(dtype, k=0):
    raw = (np.arange(17) * 5 + k) % 11
    return (raw % 2 == 0) if dtype == "bool" else raw.astype(dtype)


for d in ALL:
    a, b = values(d), values(d, 4)
    show(d, copy(a, np.zeros_like(a)), fill(a.copy()), total(a), total_from_first(a))
    show(d, equal(a, b), *last_types(a), matrix(a[:12].reshape(3, 4), np.zeros((4, 3), dtype=d)))
    if d != "bool":
        show(d, arithmetic(a, b, np.zeros_like(a)), with_constants(a, np.zeros_like(a)))
        show(d, divide(a, b + 1, np.zeros(17, dtype=complex if d == "complex128" else float)))
    if d != "complex128":
        show(d, compare(a, b), *extremes(a), logical(a, b, np.zeros_like(a)))
    if d in INTS:
        show(d, bits(a, b, np.zeros_like(a)), shifts(a, np.zeros_like(a)))
        show(d, as_index(a, np.arange(30) * 7), as_index(a, list(range(30))))
    if d in INTS + FLOATS:
        show(d, floor_divide(a, b + 1, np.zeros_like(a)))
    if d not in ("bool", "uint8", "uint16", "uint32", "uint64"):
        show(d, negate(a[:5], np.zeros(5, dtype=d)))
    for e in ALL:
        if (d, e) in [("complex128", x) for x in ALL[:-1]]:
            continue
        show(d, e, copy(a, np.zeros(17, dtype=e)))
        if d != "bool" or e != "bool":
            show(d, e, total_from_first(np.array([total(a), total(values(e))])))
flags, other = values("bool"), ~values("bool", 3)
show("bool", bool_operators(flags, other, np.zeros(17, dtype=bool)), bool_sums(flags, other))
show("bool", bool_operators(flags.tolist(), other.tolist(), [False] * 17))
show("bool", bool_sums(flags.tolist(), other.tolist()))
big = np.array([2**63, 2**64 - 1, 5], dtype=np.uint64)
show("uint64", copy(big, np.zeros_like(big)), total_from_first(big[1:]), *extremes(big))
show("uint64", compare(big, big[::-1]), divide(big, big[::-1], np.zeros(3)))
small = np.array([-(2**63), 2**63 - 1, 0], dtype=np.int64)
show("int64", copy(small, np.zeros_like(small)), *extremes(small), compare(small, small[::-1]))
for d in ("float16", "longdouble", "complex64", "datetime64[s]", "U3", ">f8", "object"):
    x = values("int64")[:6].astype(d) if d != "U3" else np.array(["a", "b", "c"])
    try:
        show(d, str(copy(x, x.copy())))
    except Exception as error:
        show(d, type(error).__name__)
