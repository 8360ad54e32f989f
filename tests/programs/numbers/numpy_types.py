"""NumPy scalar types: conversions in loops, arithmetic between kinds, what each gives."""

import numpy as np
from showing import attempt, show


def to_float32(a):
    s = np.float32(0)
    for x in a:  # native
        s += np.float32(x) * np.float32(0.1)
    return s


def to_int8(a):
    s = 0
    for x in a:  # native
        k = np.int8(x)
        s += int(k)
    return s, k


def to_many(a):
    for x in a:  # native
        b = np.bool_(x)
        i16 = np.int16(x)
        i32 = np.int32(x)
        i64 = np.int64(x)
        u8 = np.uint8(x)
        u16 = np.uint16(x)
        u32 = np.uint32(x)
        u64 = np.uint64(x)
        f32 = np.float32(x)
        f64 = np.float64(x)
        c = np.complex128(x)
    return b, i16, i32, i64, u8, u16, u32, u64, f32, f64, c


def mixed(a, b):
    for i in range(len(a)):  # native
        x, y = a[i], b[i]
        add = x + y
        sub = x - y
        mul = x * y
        div = x / y
        less = x < y
        same = x == y
    return add, sub, mul, div, less, same


def mixed_ints(a, b):
    for i in range(len(a)):  # native
        x, y = a[i], b[i]
        floor = x // y
        mod = x % y
        both = x & y
        any_ = x | y
        odd = x ^ y
    return floor, mod, both, any_, odd


def with_python(a):
    for x in a:  # native
        p = x + 1
        q = 2 * x
        r = x - 0.5
        s = x / 2
        t = -x
        u = x > 1
        v = abs(x)
    return p, q, r, s, t, u, v


def with_bools(a, flag):
    for x in a:  # native
        p = x + flag
        q = flag * x
        r = x == flag
    return p, q, r


def unary(a):
    for x in a:  # native
        p = +x
        q = ~x
        r = not x
    return p, q, r


def item_and_python(a):
    s = 0
    for x in a:
        s += x.item()
    return s


def int_of_each(a):
    s = 0
    for x in a:  # native
        s += int(x)
        f = float(x)
    return s, f


FLOATS = [np.float32, np.float64]
INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
show("float32", to_float32([1.5, 2.25, 1e-3]), to_float32([1, 2]), to_float32(np.arange(3)))
show("int8", *to_int8([1, -5, 100]), *to_int8([1.5, -7.9]), *to_int8(np.arange(5)))
attempt(to_int8, [1, 200])
attempt(to_int8, np.array([1, 200]))
show("many", *to_many([3, 7]), *to_many([2.75]), *to_many(np.float32([9.5])))
show("many", *to_many([True]), *to_many(np.arange(4)))
for f in FLOATS + INTS + [np.bool_, np.complex128]:
    for g in FLOATS + INTS + [np.bool_, np.complex128]:
        if {f, g} <= {np.bool_}:
            continue
        a, b = np.array([1, 5], dtype=f), np.array([1, 3], dtype=g)
        attempt(mixed, a, b)
        if f in INTS and g in INTS:
            attempt(mixed_ints, a, b)
for f in FLOATS + INTS:
    a = np.array([0, 1, 3], dtype=f)
    show("python", *with_python(a))
    show("bools", *with_bools(a, True), *with_bools(a, np.True_))
    show("int", *int_of_each(a), item_and_python(a))
    if f in INTS:
        show("unary", *unary(a))
show("python", *with_python([1, 2]), *with_python([0.5]), *with_python([True]))
show("unary", *unary([5, -3]))
attempt(unary, np.array([True, False]))
