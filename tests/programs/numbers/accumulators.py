"""NEP 50: what type an accumulator has from the first iteration on, and after none at all."""

import numpy as np
from showing import attempt, show

TYPES = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
         np.float32, np.float64, np.complex128]  # fmt: skip


def from_int(a):
    s = 0
    for i in range(len(a)):  # native
        s += a[i]
    return s


def from_float(a):
    s = 0.0
    for i in range(len(a)):  # native
        s += a[i]
    return s


def from_bool(a):
    s = False
    for x in a:
        s += x
    return s


def product(a):
    p = 1
    for x in a:  # native
        p *= x
    return p


def difference(a):
    s = 0.0
    for x in a:  # native
        s = x - s
    return s


def scaled(a):
    s = 0.0
    for x in a:  # native
        s = s + 2.5 * x
    return s


def counted(a):
    n = 0
    for x in a:  # native
        n += x > 1
    return n


def conditional(a):
    s = 0.0
    for x in a:  # native
        if x > 1:
            s += x
    return s


def nested(A):
    total = 0.0
    for i in range(A.shape[0]):  # native
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j]
        total += s
    return total, s


def nested_zero_trips(A, n):
    total = 0.0
    for i in range(A.shape[0]):
        s = 0.0
        for j in range(i, n):
            s += A[i, j]
        total += s
    return total, s


def starts_as_element(a):
    s = a[0]
    for i in range(1, len(a)):  # native
        s += a[i]
    return s


def starts_as_numpy(a):
    s = np.float32(0)
    for x in a:  # native
        s += x
    return s


def in_tuple(a):
    s, n = 0.0, 0
    for x in a:  # native
        s, n = s + x, n + 1
    return s, n, s / max(n, 1)


def two_together(a, b):
    s = t = 0
    for i in range(len(a)):  # native
        s += a[i]
        t += s * b[i]
    return s, t


def reset(a):
    s = 0
    n = 0
    for x in a:  # native
        s += x
        if s > 10:
            s = 0
            n += 1
    return s, n


def maximum(a):
    best = -1
    for x in a:  # native
        if x > best:
            best = x
    return best


def by_max(a):
    best = 0
    for x in a:  # native
        best = max(best, x)
    return best


def mean_square(a):
    s = 0.0
    for x in a:  # native
        s += x * x
    return (s / len(a)) ** 0.5


def weak_scalar_stays(a, w):
    s = 0.0
    for x in a:  # native
        s += w * x
    return s


def last_difference(a):
    d = 0
    for i in range(1, len(a)):  # native
        d = a[i] - a[i - 1]
    return d


def alternating(a):
    s = 0
    sign = 1
    for x in a:  # native
        s += sign * x
        sign = -sign
    return s, sign


def power_sum(a):
    s = 0
    for x in a:  # native
        s += x**2
    return s


def stored_in_list(a, out):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
        out[i] = s
    return out


def used_after(a):
    s = 0.0
    for x in a:  # native
        s += x
    s /= 3
    return s, s * np.float32(2), s + 1


for t in TYPES:
    a = (np.arange(9) % 4).astype(t)
    for k in (9, 1, 0):
        b = a[9 - k :]
        name = f"{np.dtype(t)} {k}"
        show(name, from_int(b), from_float(b), product(b), scaled(b))
        attempt(from_bool, b)
        attempt(difference, b)
        if t is not np.complex128:
            show(name, conditional(b), counted(b), maximum(b), by_max(b), *reset(b))
            if k:
                show(name, mean_square(b))
            attempt(last_difference, b)
            attempt(alternating, b)
        attempt(power_sum, b)
        attempt(starts_as_numpy, b)
        show(name, *in_tuple(b), *two_together(b, b[::-1]), *used_after(b))
        show(name, stored_in_list(b, [0] * k), weak_scalar_stays(b, 3), weak_scalar_stays(b, 0.1))
        show(name, weak_scalar_stays(b, np.float64(0.1)), weak_scalar_stays(b, np.float32(0.1)))
        if k:
            show(name, starts_as_element(b))
    A = a[:8].reshape(2, 4)
    show(
        "nested",
        *nested(A),
        *nested_zero_trips(A, 4),
        *nested_zero_trips(A, 1),
        *nested_zero_trips(A, 0),
    )
show(
    "float32",
    from_float(np.float32([0.1] * 50)),
    from_float([0.1] * 50),
    from_float(np.full(50, 0.1)),
)
show("float32", from_int(np.float32([16777216, 1, 1])), from_int(np.float32([0.1, 0.2])))
show("lists", from_int([1, 2]), from_int([0.5]), from_int([True, True]), from_float([1, 2]))
show("lists", product([1, 2]), product([0.5, 2]), maximum([0.5]), maximum([]), by_max([0.5, -1]))
show("lists", from_int([np.int8(3), np.int8(4)]), from_float([np.float32(1)]), from_bool([True]))
show("zero", from_int(np.float32([])), from_float(np.int8([])), *in_tuple(np.float32([])))
show(
    "minus zero",
    from_int([-0.0]),
    from_float([-0.0]),
    from_int(np.array([-0.0])),
    from_float(np.array([-0.0])),
)
show(
    "minus zero",
    from_int(np.float32([-0.0])),
    product([-0.0]),
    product([0.0, -1.0]),
    difference([-0.0]),
)
