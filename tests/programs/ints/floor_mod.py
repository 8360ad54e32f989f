"""// and % floor, for every sign, for ints and floats, with their signed zeros."""

import numpy as np
from showing import show


def floors(a, b, out):
    for i in range(len(a)):  # native
        for j in range(len(b)):
            out[i][j] = a[i] // b[j]
    return out


def mods(a, b, out):
    for i in range(len(a)):  # native
        for j in range(len(b)):
            out[i][j] = a[i] % b[j]
    return out


def div_mods(a, b, q, r):
    for i in range(len(a)):  # native
        for j in range(len(b)):
            q[i][j], r[i][j] = divmod(a[i], b[j])
    return q, r


def augmented(a, b, out):
    for i in range(len(a)):  # native
        x = a[i]
        y = a[i]
        for j in range(len(b)):
            x //= b[j]
            y %= b[j]
        out[i][0] = x
        out[i][1] = y
    return out


def by_constants(a):
    s = 0
    for x in a:  # native
        s = s * 3 + x // 7
        s = s * 3 + x % 7
        s = s * 3 + x // -7
        s = s * 3 + x % -7
        s = s * 3 + x // 8
        s = s * 3 + x % 8
        s = s % 1000003
    return s


def by_float_constants(a, out):
    for i in range(len(a)):  # native
        out[i] = a[i] // 0.1 + a[i] % 0.1 - a[i] // -0.3 + a[i] % -0.3 + a[i] % 1.0
    return out


def least_by_counter(a):
    s = t = 0
    for i in range(-2, 3):  # native
        s = s * 7 + int(a[1] % (i - 3))
        t = t * 7 + int(a[1]) % (i - 3)
    return s, t


def least_by_minus_one(a, out):
    for i in range(len(a)):  # native
        out[i] = a[i] % -1
    return out


def halves(n):
    s = 0
    for i in range(-n, n):  # native
        s += i // 2 - i % 2 * 10 + (i >> 1) - (-i) // 2 + i % 4 // 3
    return s


def torus(a):
    n = len(a)
    s = 0
    for i in range(-2 * n, 2 * n):  # native
        s = s * 5 % 100003 + a[i % n] + a[(i - 1) % n] * 2
    return s


def time_of_day(seconds):
    h = m = s = 0
    for t in seconds:  # native
        h, rest = divmod(t, 3600)
        m, s = divmod(rest, 60)
    return h, m, s


INTS = [7, -7, 0, 1, -1, 8, -8, 2**31, -(2**31), 2**62, -(2**62), 12345678901, 2**63 - 1, -(2**63)]
DIVISORS = [1, -1, 2, -2, 3, -3, 7, -10, 2**31, -(2**62), 2**63 - 1]
FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    7.5,
    -7.5,
    1e-20,
    -1e-20,
    5e-324,
    -5e-324,
    1e300,
    -1e300,
    0.1,
    2.0**53,
]
FLOAT_DIVISORS = [
    1.0,
    -1.0,
    0.5,
    -0.5,
    0.1,
    -0.1,
    3.0,
    1e-300,
    1e300,
    -1e300,
    5e-324,
    float("inf"),
    -float("inf"),
]
for a, b in (
    (INTS, DIVISORS),
    (FLOATS, FLOAT_DIVISORS),
    (INTS, FLOAT_DIVISORS),
    (FLOATS, DIVISORS),
):
    table = [[0] * len(b) for _ in a]
    show("floor", floors(a, b, [row[:] for row in table]))
    show("mod", mods(a, b, [row[:] for row in table]))
    show("divmod", *div_mods(a, b, [row[:] for row in table], [row[:] for row in table]))
    show("augmented", augmented(a, b, [row[:] for row in table]))
INTS = [x for x in INTS if abs(x) < 2**62]
for a, b in ((INTS, DIVISORS), (FLOATS, FLOAT_DIVISORS)):
    x, y = np.array(a), np.array(b)
    kind = x.dtype
    show("array floor", floors(x, y, np.zeros((len(a), len(b)), dtype=kind)))
    show("array mod", mods(x, y, np.zeros((len(a), len(b)), dtype=kind)))
    show("array divmod", *div_mods(x, y, np.zeros((len(a), len(b))), np.zeros((len(a), len(b)))))
    show("mixed", mods(x, b, np.zeros((len(a), len(b)))), floors(a, y, np.zeros((len(a), len(b)))))
for t in (np.int8, np.int16, np.int32):
    x = np.array([7, -7, 0, 100, -128, 127], dtype=t)
    y = np.array([1, 2, -3, 7, -100], dtype=t)
    show(
        np.dtype(t).name,
        floors(x, y, np.zeros((6, 5), dtype=t)),
        mods(x, y, np.zeros((6, 5), dtype=t)),
    )
for t in (np.uint8, np.uint32, np.uint64):
    x = np.array([7, 0, 100, 255], dtype=t)
    y = np.array([1, 2, 3, 100, 255], dtype=t)
    show(
        np.dtype(t).name,
        floors(x, y, np.zeros((4, 5), dtype=t)),
        mods(x, y, np.zeros((4, 5), dtype=t)),
    )
x = np.float32(FLOATS[:8])
y = np.float32([1.0, -1.0, 0.5, 0.1, -0.3, 3e38, np.inf])
show(
    "float32",
    floors(x, y, np.zeros((8, 7), dtype=np.float32)),
    mods(x, y, np.zeros((8, 7), dtype=np.float32)),
)
show(
    "constants",
    by_constants(INTS),
    by_constants(np.array(INTS[:8])),
    halves(20),
    torus([3, 1, 4, 1, 5]),
)
show(
    "constants",
    by_float_constants(FLOATS, [0.0] * 14),
    by_float_constants(np.array(FLOATS), np.zeros(14)),
)
show(
    "time",
    *time_of_day([86399]),
    *time_of_day([-1]),
    *time_of_day(np.array([3661])),
    *time_of_day([0.5]),
)
nan, inf = float("nan"), float("inf")
show(
    "special",
    mods([nan, 1.0], [1.0, nan], [[0, 0], [0, 0]]),
    floors([nan, -1.0], [inf, -inf], [[0, 0], [0, 0]]),
)
with np.errstate(all="ignore"):
    show(
        "special",
        mods([inf], [1.0], [[0.0]]),
        mods(np.array([inf, 1.0]), np.array([0.0]), np.zeros((2, 1))),
    )
# Hardware has no remainder of the least int by -1.
for kind in (np.int8, np.int16, np.int32, np.int64):
    edge = np.array([5, np.iinfo(kind).min, -7, 100, np.iinfo(kind).max], kind)
    show("least", least_by_counter(edge), least_by_minus_one(edge, edge.copy()))
    show("least", least_by_counter(edge.tolist()), least_by_minus_one(edge.tolist(), [1] * 5))
