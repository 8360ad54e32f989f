"""Loops that are timed compiled, on one core: each does few kinds of operations, and is bound by
one thing.

The parameters' names say what the functions are called with (data.py). Only the kernels of the
loops matter here, not what CPython would take for them.
"""

import math

import numpy as np


def add(a, b, o, r8):
    for _ in range(r8):
        for i in range(len(o)):
            o[i] = a[i] + b[i]


def multiply_more(a, b, c, o, r8):
    for _ in range(r8):
        for i in range(len(o)):
            x = a[i]
            y = b[i]
            z = c[i]
            o[i] = (x * y + z) * (y * z + x) + (x * z + y) * (x - y) * (y - z) + x * x * (z + z * y)


def products(a, b, c, o, r8):
    for _ in range(r8):
        for i in range(len(o)):
            x = a[i]
            y = b[i]
            z = c[i]
            o[i] = (x * y) * (y * z) * (z * x) * ((x * x) * (y * y)) * ((z * z) * (x * z))


def divide(a, b, o, r8):
    for _ in range(r8):
        for i in range(len(o)):
            o[i] = a[i] / b[i]


def roots(a, o, r8):
    for _ in range(r8):
        for i in range(len(o)):
            o[i] = math.sqrt(a[i])


def copy(a, o, r8):
    for _ in range(r8):
        for i in range(len(o)):
            o[i] = a[i]


def scale(a, o, x, r8):
    for _ in range(r8):
        for i in range(len(o)):
            o[i] = a[i] * x


def fill(o, x, r8):
    for _ in range(r8):
        for i in range(len(o)):
            o[i] = x


def scale_single(f1, g1, r8):
    for _ in range(r8):
        for i in range(len(g1)):
            g1[i] = f1[i] * f1[i]


def neighbours(a, o, r8):
    for _ in range(r8):
        for i in range(1, len(o) - 1):
            o[i] = a[i - 1] + a[i] + a[i + 1]


def ints(idx, jdx, kdx, r8):
    for _ in range(r8):
        for i in range(len(kdx)):
            kdx[i] = (idx[i] ^ jdx[i]) & 255


def int_products(idx, jdx, kdx, r8):
    for _ in range(r8):
        for i in range(len(kdx)):
            kdx[i] = idx[i] * 3 + jdx[i] * 5


def int_quotients(ks, js, out):
    for i in range(len(ks)):
        out[i] = ks[i] // js[i]


def int_remainders(ks, js, n):
    s = 0
    for i in range(n):
        s += ks[i] % js[i]
    return s


def shifts(n):
    s = 1
    for i in range(n):
        s ^= (s >> 3) & 1048575 ^ (i << 2)
    return s


def congruence(n):
    s = 1
    for _ in range(n):
        s = (s * 1103515245 + 12345) & 1048575
    return s


def to_floats(idx, o, r8):
    for _ in range(r8):
        for i in range(len(o)):
            o[i] = float(idx[i])


def to_ints(a, kdx, r8):
    for _ in range(r8):
        for i in range(len(kdx)):
            kdx[i] = int(a[i])


def sum_in_order(xs):
    s = 0.0
    for x in xs:
        s += x
    return s


def sum_of_products(a, b, n):
    s = 0.0
    for i in range(n):
        s += a[i] * b[i]
    return s


def recurrence(n, x):
    s = 0.5
    for _ in range(n):
        s = s * x * 0.5 + 0.25
    return s


def quotient_chain(n, x):
    s = 1.5
    for _ in range(n):
        s = 1.0 + x / s
    return s


def root_chain(n, x):
    s = 1.5
    for _ in range(n):
        s = math.sqrt(s + x)
    return s


def stored_chain(o, x):
    for i in range(1, len(o)):
        o[i] = o[i - 1] * x + 0.5


def gather(a, idx, o, r8):
    for _ in range(r8):
        for i in range(len(o)):
            o[i] = a[idx[i]]


def translate(u1, table1, v1, r8):
    for _ in range(r8):
        for i in range(len(v1)):
            v1[i] = table1[u1[i]]


def scatter_ints(idx, counts):
    for i in range(len(idx)):
        counts[idx[i] & 15] += 1


def condition_taken_or_not(coins):
    n = 0
    for k in range(len(coins)):
        x = coins[k]
        if x > 0.5:
            n += 1
        elif x > 0.25:
            n -= 3
    return n


def stores_by_chance(coins, marks):
    s = 0.0
    for i in range(len(marks)):
        x = coins[i]
        if x > 0.5:
            marks[i] = x
        s += x
    return s


def counts_by_chance(coins, counts):
    for i in range(len(coins)):
        if coins[i] > 0.5:
            counts[i & 15] += 1


def unforeseen(ks):
    n = 0
    for k in ks:
        while k & 1:
            k >>= 1
            n += 1
    return n


def choose_larger(a, b, o, r8):
    for _ in range(r8):
        for i in range(len(o)):
            o[i] = a[i] if a[i] > b[i] else b[i]


def largest(xs):
    m = xs[0]
    for x in xs:
        if x > m:
            m = x
    return m


def exps(wide, far):
    for i in range(len(far)):
        far[i] = math.exp(wide[i])


def logs(positive, far):
    for i in range(len(far)):
        far[i] = math.log(positive[i])


def sines(wide, far):
    for i in range(len(far)):
        far[i] = math.sin(wide[i]) + math.cos(wide[i])


def powers(positive, far):
    for i in range(len(far)):
        far[i] = positive[i] ** 1.7


def angles(wide, positive, far):
    for i in range(len(far)):
        far[i] = math.atan2(wide[i], positive[i])


def errors(wide, far):
    for i in range(len(far)):
        far[i] = math.erf(wide[i])


def tangents(wide, far):
    for i in range(len(far)):
        far[i] = math.tan(wide[i]) + math.tanh(wide[i])


def numpy_exps(a, o):
    for i in range(len(o)):
        o[i] = np.exp(a[i])


def numpy_exps_added(a, o, x):
    s = 0.0
    for i in range(len(o)):
        e = np.exp(a[i] - x)
        o[i] = e
        s += e
    return s


def numpy_roots(a, o, r8):
    for _ in range(r8):
        for i in range(len(o)):
            o[i] = np.sqrt(a[i])


def numpy_exps_narrow(f1, g1, r8):
    for _ in range(r8):
        for i in range(len(g1)):
            g1[i] = np.exp(f1[i])


def numpy_sines(wide, far):
    for i in range(len(far)):
        far[i] = np.sin(wide[i]) + np.cos(wide[i])


def numpy_logs(positive, far):
    for i in range(len(far)):
        far[i] = np.log(positive[i])


def numpy_tangents(wide, far):
    for i in range(len(far)):
        far[i] = np.tanh(wide[i])


def numpy_powers(positive, far):
    for i in range(len(far)):
        far[i] = np.power(positive[i], 1.5)


def many_short_loops(m, r):
    for i in range(len(r)):
        s = 0.0
        for j in range(16):
            s += m[i, j]
        r[i] = s


def pairs(xs, ys):
    n = 0
    for x in xs[:64]:
        for y in ys:
            if x < y:
                n += 1
    return n


def slopes(s, s2, x, r8):
    for _ in range(r8):
        for i in range(1, len(s)):
            for j in range(1, len(s)):
                s2[i, j] = s[i, j] + (s[i - 1, j] - s[i, j - 1]) * x


def sum_of_ints(idx, r8):
    n = 0
    for _ in range(r8):
        for i in range(len(idx)):
            n += idx[i]
    return n


def rows_first(m, q, r8):
    for _ in range(r8):
        for i in range(len(m)):
            for j in range(16):
                q[i, j] = m[i, j] * 0.5 + 1.0


def columns_first(m, q, r8):
    for _ in range(r8):
        for j in range(16):
            for i in range(len(m)):
                q[i, j] = m[i, j] * 0.5 + 1.0


def columns_of_square(s, t, r8):
    for _ in range(r8):
        for j in range(len(t)):
            sum_ = 0.0
            for i in range(len(s)):
                sum_ += s[i, j]
            t[j] = sum_


def lower_products(e, e2):
    for i in range(len(e)):
        for j in range(i):
            x = e2[i, j]
            for k in range(j):
                x -= e[i, k] * e[j, k]
            e2[i, j] = x


def lower_sums(e, e2):
    for i in range(len(e)):
        for j in range(16):
            x = 0.0
            for k in range(i):
                x += e[k, j]
            e2[i, j] = x


def complex_steps(n, z, w):
    for _ in range(n):
        z = z * z * 0.25 + w
    return z


def held_streamed(a, b, c, o, r8):
    for _ in range(r8):
        for i in range(len(o)):
            o[i] = a[i] * 0.5 + (c[i] - b[i])


def held_polynomial(a, o, r8):
    for _ in range(r8):
        for i in range(len(o)):
            x = a[i]
            o[i] = ((x * 0.5 + 1.0) * x - 2.0) * x + 3.0


def held_distance(a, b, c, o, r8):
    for _ in range(r8):
        for i in range(len(o)):
            o[i] = math.sqrt(a[i] * a[i] + b[i] * b[i] + c[i] * c[i])


def held_small_product(m, q, n8):
    for i in range(16):
        for j in range(16):
            s = 0.0
            for k in range(16):
                s += m[i, k] * m[k, j]
            q[i, j] = s


def held_smooth(m, q, r8):
    for _ in range(r8):
        for i in range(1, len(m) - 1):
            for j in range(1, 15):
                q[i, j] = 0.2 * (m[i, j] + m[i - 1, j] + m[i + 1, j] + m[i, j - 1] + m[i, j + 1])


def held_escape(xs, ys, n8):
    total = 0
    for i in range(len(xs)):
        x = y = 0.0
        for _ in range(12):
            x, y = x * x - y * y + xs[i], 2.0 * x * y + ys[i]
        if x * x + y * y < 4.0:
            total += 1
    return total


def held_variance(xs):
    mean = 0.0
    m2 = 0.0
    n = 0
    for x in xs:
        n += 1
        d = x - mean
        mean += d / n
        m2 += d * (x - mean)
    return m2


def held_decay(wide, far):
    for i in range(len(far)):
        far[i] = math.exp(-wide[i]) * math.sin(wide[i])


def held_cumulative(a, o):
    s = 0.0
    for i in range(len(o)):
        s += a[i]
        o[i] = s


def held_bins(a, counts):
    for i in range(len(a)):
        counts[int(a[i] * 15.9)] += 1


def held_interpolate(a, idx, b, o):
    for i in range(len(o)):
        k = idx[i]
        o[i] = a[k] * (1.0 - b[i]) + a[k - 1] * b[i]


def held_checksum(ks, n):
    s = 7
    for i in range(n):
        s = (s * 31 + ks[i]) % 65521
    return s


def held_relax(o, a):
    for _ in range(4):
        for i in range(1, len(o) - 1):
            o[i] = (o[i - 1] + o[i + 1] + a[i]) * 0.25
