"""Loops that CPython is timed in, continued from `probes.py`: elements of lists and arrays, calls,
loops as programs have them.
"""

import math

import numpy as np


def list_get(n, xs):
    s = 0.0
    for i in range(n):
        s = xs[i]
    return s


def list_get_many(n, xs, ys, k8):
    s = 0.0
    for i in range(n):
        s = xs[i]
        s = ys[k8]
        s = xs[k8]
    return s


def list_rows(n, rows, k8):
    s = 0.0
    for _i in range(n):
        s = rows[k8][3]
        s = rows[2][k8]
    return s


def list_set(n, zs, x):
    for i in range(n):
        zs[i] = x


def list_update(n, zs, x):
    for i in range(n):
        zs[i] += x


def list_index(n, xs, p8):
    s = 0.0
    for _i in range(n):
        s = xs[-1]
        s = xs[p8]
    return s


def buffer_get(n, buf, raw, text):
    s = 0.0
    for i in range(n):
        s = buf[i]
        c = raw[i]
        if text[i] == "q":
            s = 0.0
    return s, c


def buffer_set(n, buf, x):
    for i in range(n):
        buf[i] = x


def array_get(n, a):
    s = 0.0
    for i in range(n):
        s = a[i]
    return s


def array_get_int(n, idx, u8):
    s = 0
    for i in range(n):
        s = idx[i]
        s = u8[i]
    return s


def array_index(n, a, p8):
    s = 0.0
    for _i in range(n):
        s = a[p8]
    return s


def array_gather(n, a, idx):
    s = 0.0
    for i in range(n):
        s = a[idx[i]]
    return s


def array_set(n, c, x):
    for i in range(n):
        c[i] = x


def array_copy(n, a, c):
    for i in range(n):
        c[i] = a[i]


def array_set_convert(n, c, k):
    for _i in range(n):
        c[3] = k


def array_set_single(n, f1, x):
    for i in range(n):
        f1[i] = x


def array_two(n, m, k8):
    s = 0.0
    for _i in range(n):
        s = m[k8, 3]
    return s


def array_two_set(n, m2, k8, x):
    for _i in range(n):
        m2[k8, 3] = x


def array_two_update(n, m2, k8, x):
    for _i in range(n):
        m2[k8, 3] += x


def array_three(n, t3, k8):
    s = 0.0
    for _i in range(n):
        s = t3[k8, 3, 2]
    return s


def array_three_set(n, t4, k8, x):
    for _i in range(n):
        t4[k8, 3, 2] = x


def array_rows(n, m, k8):
    s = 0.0
    for _i in range(n):
        s = m[k8][3]
    return s


def array_row_loop(m):
    s = 0.0
    for row in m:
        s = row[0]
    return s


def array_parts(n, m, m2, k8):
    for _i in range(n):
        m2[k8, 1:9] = m[k8, 2:10]


def array_operations(n, m, m2, k8, x):
    for _i in range(n):
        m2[k8] = m[k8] * x + m[0]


def array_elements(n8, a, b, c, x):
    for _i in range(n8):
        c[:] = a * x + b


def array_functions(n8, a, b, c):
    for _i in range(n8):
        c[:] = np.exp(a) + np.log(b)


def array_sums(n8, a, b):
    s = 0.0
    for _i in range(n8):
        s = np.sum(a)
        s = a @ b
    return s


def array_products(n8, square, square2):
    for _i in range(n8):
        square2[:, :] = square @ square


def array_update(n, m2, k8, x):
    for _i in range(n):
        m2[k8, :] *= x


def shape(n, m):
    s = 0
    for _i in range(n):
        s = m.shape[0]
    return s


def tuple_make(n, x):
    for _i in range(n):
        pair = (x, x)
    return pair


def builtin_abs(n, x, k):
    s = 0.0
    for _i in range(n):
        s = abs(x)
        s = abs(k)
    return s


def builtin_len(n, xs):
    s = 0
    for _i in range(n):
        s = len(xs)
    return s


def min_max(n, x, y):
    s = 0.0
    for _i in range(n):
        s = min(x, y)
    return s


def min_max_three(n, k):
    s = 0
    for i in range(n):
        s = max(i, k, 3)
        s = min(0, i, k)
    return s


def to_float(n):
    s = 0.0
    for i in range(n):
        s = float(i)
    return s


def to_int(n, x):
    s = 0
    for _i in range(n):
        s = int(x)
    return s


def math_quick(n, x):
    s = 0.0
    for _i in range(n):
        s = math.sqrt(x)
    return s


def math_one(n, x):
    s = 0.0
    for _i in range(n):
        s = math.exp(x)
        s = math.sin(x)
        s = math.log(x)
    return s


def math_two(n, x, y):
    s = 0.0
    for _i in range(n):
        s = math.atan2(x, y)
        s = math.hypot(x, y)
    return s


def numpy_call(n, u):
    s = u
    for _i in range(n // 4):
        s = np.sqrt(u)
    return s


def _one(v):
    return v


def _three(v, w, z):
    return w


def call(n, x):
    s = 0.0
    for _i in range(n):
        s = _one(x)
    return s


def call_three(n, x, y):
    s = 0.0
    for _i in range(n):
        s = _three(x, y, x)
    return s


def append(n, x):
    out = []
    for _i in range(n):
        out.append(x)  # noqa: PERF402
    return out


CONSTANT = 3.5


def global_name(n):
    s = 0.0
    for _i in range(n):
        s = CONSTANT
        s = CONSTANT
        s = CONSTANT
    return s


def attribute(n, box):
    s = 0.0
    for _i in range(n):
        s = box.value
        s = box.other
        s = box.value
    return s


# Loops as programs have them: work costs more among other work than alone.


def typical_norm(n, xs, ys):
    s = 0.0
    for i in range(n):
        d = xs[i] - ys[i]
        s += d * d
    return math.sqrt(s)


def typical_scale(n, a, c, x):
    for i in range(n):
        c[i] = a[i] * x + 1.0


def typical_matrix(m, m2, x):
    for i in range(m.shape[0]):
        for j in range(16):
            m2[i, j] = m[i, j] * x


def typical_table(rows, rows2, x):
    for i in range(len(rows)):
        for j in range(16):
            rows2[i][j] = rows[i][j] * x + rows2[i][j]


def typical_difference(n, a, c):
    for i in range(1, n - 1):
        c[i] = a[i + 1] - 2.0 * a[i] + a[i - 1]


def typical_count(n, a, x):
    c = 0
    for i in range(n):
        if a[i] > x or a[i] < 0.25:
            c += 1
    return c


def typical_bits(n, ks):
    h = 17
    for i in range(n):
        h = (h * 31 + ks[i]) & 65535
        if h % 3 == 1:
            h += 1
    return h


def typical_best(n, xs):
    best = xs[0]
    at = 0
    for i in range(1, n):
        if xs[i] > best:
            best = xs[i]
            at = i
    return best, at


def typical_update(n, idx, counts):
    for i in range(n):
        counts[idx[i] % 16] += 1


def typical_wave(n, xs, zs, y):
    for i in range(n):
        t = xs[i] * y
        zs[i] = t * math.cos(t) / (1.0 + t)
