"""int, float, bool and round at their edges; ints against floats compare exactly."""

import numpy as np
from showing import attempt, show

nan, inf = float("nan"), float("inf")


def truncated(a, out):
    for i in range(len(a)):  # native
        out[i] = int(a[i])
    return out


def rounded(a, out):
    for i in range(len(a)):  # native
        out[i] = round(a[i])
    return out


def floated(a, out):
    for i in range(len(a)):  # native
        out[i] = float(a[i])
    return out


def truth(a, out):
    for i in range(len(a)):  # native
        out[i] = bool(a[i])
    return out


def int_float_equal(ints, floats):
    n = 0
    for i in range(len(ints)):  # native
        for j in range(len(floats)):
            if ints[i] == floats[j]:
                n += 1
            if ints[i] < floats[j]:
                n += 1000
            if ints[i] >= floats[j]:
                n += 1000000
    return n


def true_division(ints, others, out):
    for i in range(len(ints)):  # native
        for j in range(len(others)):
            out[i][j] = ints[i] / others[j]
    return out


def int_times_float(ints, x):
    s = 0.0
    for i in ints:  # native
        s += i * x
        s -= i + x
    return s


def index_by_int(a, xs):
    s = 0
    for x in xs:  # native
        s += a[int(x)]
        a[int(x * 2) % 7] += 1
    return s, a


def bins(xs, count):
    out = [0] * count
    for x in xs:  # native
        k = int((x + 1.0) / 2.0 * count)
        if k == count:
            k -= 1
        out[k] += 1
    return out


def bool_arithmetic(flags, others):
    s = 0
    t = 0.0
    for i in range(len(flags)):  # native
        s += flags[i] + others[i]
        s += flags[i] * 3 - others[i]
        t += flags[i] / 2
        u = -flags[i]
        v = flags[i] & others[i]
        w = flags[i] | True
        x = flags[i] ^ 1
    return s, t, u, v, w, x


def numpy_bool_arithmetic(flags, others):
    s = 0
    for i in range(len(flags)):  # native
        s += flags[i] + others[i]
        u = flags[i] & others[i]
        v = flags[i] * others[i]
        w = flags[i] | True
        x = flags[i] + 1
        y = flags[i] * 0.5
    return s, u, v, w, x, y


def bool_minus(flags, others):
    s = 0
    for i in range(len(flags)):
        s = flags[i] - others[i]
    return s


def float_to_int_and_back(a):
    s = 0.0
    for x in a:  # native
        k = int(x)
        s += x - k
    return s, k


def round_to_even(n):
    s = 0
    for i in range(-n, n):  # native
        s = s * 3 % 100003 + round(i / 2) + round(i + 0.5)
    return s


edges = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    0.49999999999999994,
    2.0**52 + 0.5,
    2.0**53,
    -(2.0**62),
    1e18,
]
show("int", truncated(edges, [None] * 12), truncated(np.array(edges), np.zeros(12, dtype=int)))
show("round", rounded(edges, [None] * 12), rounded(np.array(edges), np.zeros(12, dtype=int)))
show("round", rounded(np.array(edges), [None] * 12), rounded(np.float32(edges), [None] * 12))
show("int", truncated(np.float32(edges), [None] * 12), truncated([True, 5], [0] * 2))
for bad in (nan, inf, -inf, 2.0**63, -(2.0**63), 1e300, 2.0**64):
    for f in (truncated, rounded):
        attempt(f, [1.5, bad], [0, 0])
        attempt(f, np.array([1.5, bad]), [0, 0])
        attempt(f, np.array([1.5, bad]), np.zeros(2, dtype=np.int64))
        attempt(f, np.float32([1.5, bad]), [0, 0])
ints = [0, 1, -1, 2**53, 2**53 + 1, -(2**53) - 1, 2**62 + 1, 2**63 - 1, -(2**63)]
show(
    "float", floated(ints, [0.0] * 9), floated(np.array(ints), np.zeros(9)), floated([True], [0.0])
)
show("float", floated(np.float32([0.1]), [0.0]), floated(np.uint64([2**64 - 1]), [0.0]))
show(
    "truth",
    truth(ints, [0] * 9),
    truth(edges, [0] * 12),
    truth([nan], [0]),
    truth(np.array(edges), np.zeros(12)),
)
floats = [float(i) for i in ints] + [0.5, nan, inf, -inf, 9007199254740993.0, 2.0**63, 1e300]
show("compare", int_float_equal(ints, floats), int_float_equal([2**70, 3], floats))
show(
    "compare",
    int_float_equal(np.array(ints), np.array(floats)),
    int_float_equal(np.array(ints), floats),
)
show("compare", int_float_equal(ints, np.array(floats)))
others = [1, 3, -7, 2**53 + 1, 2**62 + 3, 10]
show("division", true_division(ints, others, [[0] * 6 for _ in ints]))
show("division", true_division(np.array(ints), np.array(others), np.zeros((9, 6))))
show("division", true_division([2**70], [2**69, 3], [[0, 0]]), true_division([1], [2**1030], [[0]]))
attempt(true_division, [2**1030], [3], [[0]])
show(
    "times",
    int_times_float(ints, 0.1),
    int_times_float(ints, np.float32(0.1)),
    int_times_float([2**64], 0.5),
)
show(
    "index",
    *index_by_int([1, 2, 3, 4, 5, 6, 7], [0.5, 2.9, 1.0]),
    *index_by_int(np.arange(7), np.array([6.9])),
)
show("bins", bins([-1.0, 0.0, 0.999, 1.0, 0.3], 7), bins(np.sin(np.arange(50.0)), 5))
attempt(bins, [0.5, nan], 4)
attempt(bins, [0.5, 7.0], 4)
flags, other = [True, False, True], [True, True, False]
show(
    "bools",
    *bool_arithmetic(flags, other),
    *numpy_bool_arithmetic(np.array(flags), np.array(other)),
)
attempt(bool_minus, flags, other)
attempt(bool_minus, np.array(flags), np.array(other))
show("back", *float_to_int_and_back([1.5, -2.25]), *float_to_int_and_back(np.array([1e15 + 0.5])))
attempt(float_to_int_and_back, [1e25])
# On vectors, with one among them that does not fit; what came before it is there.
long = np.linspace(-1e6, 1e6, 100)
show("long", truncated(long, np.zeros(100, np.int64)), truncated(long, [0] * 100))
for at in (0, 1, 31, 40, 98, 99):
    for bad in (nan, inf, -inf, 2.0**63, -(2.0**63) - 2048.0, 1e300):
        some = long.copy()
        some[at] = bad
        out = np.zeros(100, np.int64)
        attempt(truncated, some, out)
        show("until", at, bad, out)
    some[at] = -(2.0**63)
    show("least", at, truncated(some, np.zeros(100, np.int64)))
for small in (np.int8, np.uint8, np.int32, np.uint32, np.uint64):
    out = np.zeros(100, small)
    attempt(truncated, long, out)
    show("small", small.__name__, out, truncated(np.abs(long) / 1e4, np.zeros(100, small)))
show("even", round_to_even(40))
