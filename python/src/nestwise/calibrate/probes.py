"""Loops that CPython is timed in: each does few kinds of work, many times. This module has those of
loops, names and numbers; `elements.py` has lists, arrays and calls.

The arguments of a parameter are in `data.py`, by its name. The work of a probe is counted by
nestwise itself, never here. Results are returned so that nothing is idle.
"""


def empty(n):
    for _i in range(n):
        pass


def store_int(n, k):
    for i in range(n):
        r = k
        q = i
    return r, q


def store_many(n, x, y):
    for _i in range(n):
        p = x
        q = y
        r = p
        s = q
        p = s
        q = r
    return p, q


def outer_short(n):
    s = 0
    for _i in range(n // 8):
        for j in range(2):
            s = j
    return s


def outer_empty(n):
    s = 0
    for i in range(n // 4):
        for _j in range(0):
            s = i
    return s


def over_list(xs):
    s = 0.0
    for x in xs:
        s = x
    return s


def over_two_lists(xs, ys):
    s = 0.0
    for _i in range(2):
        for x in xs:
            s = x
        for y in ys:
            s = y
    return s


def over_array(a):
    s = 0.0
    for x in a:
        s = x
    return s


def over_short_arrays(n, a2):
    s = 0.0
    for _i in range(n // 4):
        for x in a2:
            s = x
    return s


def over_enumerate(xs):
    s = 0.0
    for _i, x in enumerate(xs):
        s = x
    return s


def over_zip(xs, ys):
    s = 0.0
    for x, y in zip(xs, ys):  # noqa: B905
        s = x
        s = y
    return s


def while_count(n):
    i = 0
    while i < n:
        i += 1
    return i


def while_list(n, xs):
    i = 0
    while xs[i] < 5.0 and i < n - 1:
        i = i + 1
    return i


def generator(xs, x):
    return_value = False
    for _i in range(2):
        return_value = any(v > 9.0 for v in xs)
    return return_value, x


def sum_list(ks):
    s = 0
    for _i in range(4):
        s = sum(ks)
    return s


def int_add(n, k):
    s = 0
    for i in range(n):
        s = i + k
        s = s - i
    return s


def int_sums(n, ks):
    s = 0
    for i in range(n):
        s += ks[i]
    return s


def int_mul(n, k):
    s = 0
    for i in range(n):
        s = i * k
        s = k * i
    return s


def int_div(n, k):
    s = 0
    for i in range(n):
        s = k // 7
        s = i % 13
    return s


def int_bits(n, k):
    s = 0
    for i in range(n):
        s = i & k
        s = s ^ i
        s = s >> 2
    return s


def int_shift(n):
    s = 0
    for i in range(n):
        s = (i << 3) | 1
    return s


def int_long(n, k):
    s = 0
    for i in range(n):
        s = i * 1103515245
        s = s % 2147483648
    return s


def int_long_mask(n, k):
    s = k
    for _i in range(n):
        s = (k * 6364136223846793005) & 0xFFFFFFFFFFFF
    return s


def power(n, x):
    s = 0.0
    for _i in range(n):
        s = x**2
    return s


def power_float(n, x, y):
    s = 0.0
    for _i in range(n):
        s = x**y
    return s


def float_add(n, x, y):
    s = 0.0
    for _i in range(n):
        s = x + y
        s = x - s
    return s


def float_chain(n, x, y):
    s = 0.0
    for _i in range(n):
        s = s * x + y * x - y
    return s


def float_mul(n, x, y):
    s = 0.0
    for _i in range(n):
        s = x * y
        s = s * y * x
    return s


def divide(n, x, y):
    s = 0.0
    for _i in range(n):
        s = x / y
        s = y / x
    return s


def divide_ints(n, k):
    s = 0.0
    for i in range(n):
        s = i / k
    return s


def float_mod(n, x, y):
    s = 0.0
    for _i in range(n):
        s = x % y
        s = y // x
    return s


def mixed(n, x):
    s = 0.0
    for i in range(n):
        s = x * i
        s = i + s
    return s


def mixed_constant(n, x, y):
    s = 0.0
    for _i in range(n):
        s = 2 * x
        s = y - 1
    return s


def complex_ops(n, z, w):
    s = z
    for _i in range(n):
        s = z * w
        s = s + w
    return s


def sign(n, x, k):
    s = 0.0
    j = 0
    for _i in range(n):
        s = -x
        j = -k
    return s, j


def compare_int(n, k):
    c = 0
    for i in range(n):
        if i < k:
            c = i
    return c


def compare_float(n, xs, x):
    c = 0
    for i in range(n):
        if xs[i] < x:
            c = i
        elif xs[i] > 3.0:
            c = 0
    return c


def compare_many(n, k):
    c = 0
    for i in range(n):
        if i == k or i == 17 or i == 18:
            c = i
    return c


def compare_mixed(n, x):
    c = 0
    for i in range(n):
        if x > 0 and x < i:
            c = i
    return c


def truth(n, k, flag):
    c = 0
    for i in range(n):
        if k:
            c = i
        if flag:
            c = 1
        if not flag:
            c = 2
    return c


def numpy_add(n, u, v):
    s = u
    for _i in range(n):
        s = u + v
        s = u * v
    return s


def numpy_div(n, u, v):
    s = u
    for _i in range(n):
        s = u / v
        s = s - v
    return s


def numpy_sums(a):
    s = 0.0
    for x in a:
        s += x
    return s


def numpy_int(n, p, q):
    s = p
    for _i in range(n):
        s = p + q
        s = p * q
    return s


def numpy_single(n, f, g):
    s = f
    for _i in range(n):
        s = f * g
        s = f + g
    return s


def numpy_python(n, u, x):
    s = u
    for _i in range(n):
        s = x * u
        s = u + x
    return s


def numpy_convert(n, u, p):
    s = u
    t = p
    for _i in range(n):
        s = 2 * u
        t = p + 1
        t = p % 7
    return s, t


def numpy_convert_single(n, f, x):
    s = f
    for _i in range(n):
        s = f * x
        s = x + f
    return s


def numpy_mixed(n, u, p):
    s = u
    for _i in range(n):
        s = u * p
    return s


def numpy_compare(n, u, v):
    c = 0
    for i in range(n):
        if u < v:
            c = i
    return c


def numpy_compare_python(n, u, x):
    c = 0
    for i in range(n):
        if u > x:
            c = i
        if x < -u:
            c = i
    return c


def numpy_compare_convert(n, p, u):
    c = 0
    for i in range(n):
        if p == 1:
            c = i
        if u < 0:
            c = i
    return c


def numpy_truth(n, p, np_flag):
    c = 0
    for i in range(n):
        if np_flag:
            c = i
        if p:
            c = i
    return c
