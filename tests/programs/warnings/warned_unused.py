"""NumPy's warnings of operations whose values some path, or every path, does without.

One iteration has operands that warn, and is often one in which the value is not needed.
"""

import warnings

import numpy as np
from showing import show


def branch_only(a, b, c, out):
    t = 1.0
    for i in range(len(a)):  # native
        t = a[i] - b[i]
        s = t if c[i] > 0 else 2.0
        t = s
        out[i] = t


def branch_if(a, b, c, out):
    for i in range(len(a)):  # native
        t = a[i] - b[i]
        if c[i] > 0:
            out[i] = t


def overwritten_path(a, b, c, out):
    for i in range(len(a)):  # native
        t = a[i] - b[i]
        if c[i] <= 0:
            t = 2.0
        out[i] = t


def last_inner(a, b, c, out):
    for k in range(4):  # native
        t = 0.0
        for i in range(len(a)):
            t = a[i] - b[i]
        out[k] = t


def store_over(a, b, c, out):
    for i in range(len(a)):  # native
        out[i] = a[i] - b[i]
        out[i] = 1.0


def store_same(a, b, c, out):
    for i in range(len(a)):  # native
        out[0] = a[i] - b[i]


def store_folded(a, b, c, out):
    for i in range(len(a)):  # native
        out[i - i] = a[i] - b[i]


def store_named(a, b, c, out):
    for i in range(len(a)):  # native
        k = 3 + 2 * i - i - i
        out[k] = a[i] - b[i]


def store_divided(a, b, c, out):
    for i in range(len(a)):  # native
        out[i // 1000] = a[i] - b[i]


def store_masked(a, b, c, out):
    for i in range(len(a)):  # native
        out[i & 0] = np.sqrt(a[i])


def store_least(a, b, c, out):
    for i in range(len(a)):  # native
        out[min(i, 0)] = a[i] - b[i]


def store_twice(a, b, c, out):
    for i in range(len(a)):  # native
        out[2 * i // 2] = a[i] - b[i]
        out[i] = c[i]


def store_clamped(a, b, c, out):
    for i in range(len(a)):  # native
        out[i] = a[i] / b[i]
        if c[i] <= 0:
            out[i] = 1.0


def unread(a, b, c, out):
    for i in range(len(a)):  # native
        t = a[i] - b[i]
        out[i] = 1.0


def compared(a, b, c, out):
    for i in range(len(a)):  # native
        z = 0.0
        if a[i] - b[i] > z:
            out[i] = 1.0


def ands(a, b, c, out):
    for i in range(len(a)):  # native
        if (c[i] > 0) & (a[i] - b[i] > 1.5):
            out[i] = 1.0


def sum_unused(a, b, c, out):
    for k in range(4):  # native
        s = 0.0
        for i in range(len(a)):
            s = s + (a[i] - b[i])
        if c[k] > 0:
            out[k] = s


def idle_if(a, b, c, out):
    for i in range(len(a)):  # native
        if a[i] - b[i] > 3.0:
            t = 1
        else:
            t = 2
        t = 3
        out[i] = t


def bool_var(a, b, c, out):
    for i in range(len(a)):  # native
        big = a[i] - b[i] > 3.0
        if c[i] > 0 and big:
            out[i] = 7.0


def broken(a, b, c, out):
    for i in range(len(a)):  # native
        t = a[i] - b[i]
        if c[i] <= 0:
            continue
        out[i] = t


def tail(a, b, c, out):
    for i in range(len(a)):  # native
        out[i] = 1.0
        if a[i] - b[i] > 3.0:
            continue


def helper(x, y, z):
    t = x - y
    if z <= 0:
        return 0.0
    return t


def inlined(a, b, c, out):
    for i in range(len(a)):  # native
        out[i] = helper(a[i], b[i], c[i])


def cols(a, b, c, out):
    n = 7
    for i in range(n):  # native
        s = 0.0
        for j in range(n):
            t = a[i * n + j] - b[i * n + j]
            if c[j] > 0:
                s = s + t
        out[i] = s


def two_d(a, b, c, out):
    n = 7
    m = a[:49].reshape(n, n)
    for j in range(n):  # native
        for i in range(n):
            t = m[i, j] - b[j]
            u = m[i, j] * m[i, j]
            out[i] = u if c[j] > 0 else t


def wherelike(a, b, c, out):
    for i in range(len(a)):  # native
        out[i] = (a[i] - b[i]) if c[i] > 0 else (a[i] + b[i])


def equal_arms(a, b, c, out):
    for i in range(len(a)):  # native
        if a[i] - b[i] > 3.0:
            out[i] = 1.0
        else:
            out[i] = 1.0


def unrolled(a, b, c, out):
    for i in range(len(a) - 4):  # native
        best = 0.0
        for k in range(3):
            d = a[i + k] - b[i + k]
            if d > best:
                best = d
        out[i] = best


def unrolled_store(a, b, c, out):
    v = np.zeros(3)
    for i in range(len(a) - 4):  # native
        for k in range(3):
            v[k] = a[i + k] - b[i + k]
    out[0] = v[1]


def equal_stores(a, b, c, out):
    for i in range(len(a)):  # native
        if a[i] - b[i] > 3.0:
            out[i] = 1.0
        else:
            out[i] = 1.0


def carried(a, b, c, out):
    cur = 0.0
    prev = 0.0
    for i in range(len(a)):  # native
        prev = cur
        cur = a[i] - b[i]
        if c[i] > 0:
            out[i] = prev


def chained(a, b, c, out):
    for i in range(len(a)):  # native
        if c[i] > 0 and 0.0 < a[i] - b[i] < 3.0:
            out[i] = 1.0


def between(a, b, c, out):
    # No value is between: what it is need not be known to say so.
    for i in range(len(a)):  # native
        if 0 < a[i] * b[i] <= 0.0:
            out[i] = 1.0
    return 0.0


def excluded(a, b, c, out):
    for i in range(len(a)):  # native
        t = a[i] * b[i]
        if t > 1.0:
            if t < 0.5:
                out[i] = 1.0
    return 0.0


def chained_idle(a, b, c, out):
    k = 0
    for i in range(len(a)):  # native
        ok = 0.0 < a[i] - b[i] < 3.0
        if c[i] > 0 and ok:
            k += 1
    out[0] = k


def sum_break(a, b, c, out):
    n = 7
    for k in range(n):  # native
        s = 0.0
        for i in range(n):
            s += a[k * n + i] - b[k * n + i]
            if c[k * n + i] < -5:
                break
        if c[k * n] > 2:
            out[k] = s


def sum_reset(a, b, c, out):
    s = 0.0
    for i in range(len(a)):  # native
        s = s + (a[i] - b[i])
        if i % 10 == 9:
            s = 0.0
    out[0] = s


def while_idle(a, b, c, out):
    i = 0
    while i < len(a):  # native
        t = a[i] - b[i]
        if c[i] > 0:
            out[i] = t
        i += 1


def inner_while(a, b, c, out):
    for i in range(len(a)):  # native
        k = 0
        t = 0.0
        x = a[i]
        while k < 5:
            t = x - b[i]
            x = x * 0.5
            k += 1
        out[i] = t if c[i] > 0 else 1.0


def rows(a, b, c, out):
    n = 7
    m = a[:49].reshape(n, n)
    o = out[:49].reshape(n, n)
    q = b[:49].reshape(n, n)
    for i in range(n):  # native
        for j in range(n):
            t = m[i, j] - q[i, j]
            if j < 3:
                o[i, j] = t


def copy_idle(a, b, c, out):
    for i in range(len(a)):  # native
        t = a[i] - b[i]
        u = t
        v = -u
        out[i] = v if c[i] > 0 else 1.0


def and_and(a, b, c, out):
    for i in range(len(a)):  # native
        x = a[i] - b[i] > 0.5
        y = c[i] > 0
        out[i] = 1.0 if (y & x) else 2.0


def nested_if(a, b, c, out):
    for i in range(len(a)):  # native
        t = a[i] * 3.0 - b[i]
        if c[i] > 0:
            if c[i] > 0.5:
                out[i] = t
            else:
                out[i] = 2.0
        else:
            if c[i] < -5:
                out[i] = t


def indexed(a, b, c, out):
    ix = np.zeros(len(a), np.int64)
    for i in range(len(a)):  # native
        out[ix[i]] = a[i] - b[i]


def stencil_twice(a, b, c, out):
    for i in range(1, len(a) - 1):  # native
        out[i] = a[i] - b[i]
        out[i - 1] = 1.0


def stored_all(a, b, c, out):
    for t in range(5):  # native
        for i in range(len(a)):
            out[i] = a[i] - b[i]
        for i in range(len(a)):
            out[i] = 1.0


def returned(a, b, c, out):
    for i in range(len(a)):  # native
        t = a[i] - b[i]
        if i == 59:
            return t


def ended(a, b, c, out):
    t = 0.0
    u = 0.0
    for i in range(len(a)):  # native
        t = a[i] - b[i]
        u = a[i] * b[i]
    out[0] = u
    out[1] = t


def settled_truth(a, b, c, out):
    n = len(out)
    for i in range(n):  # native
        if (a[i] - b[i]) >= c[i] and (not n <= n):
            pass


def settled_effect(a, b, c, out):
    n = len(out)
    for i in range(n):  # native
        t = a[i] - b[i]
        if t >= c[i] and n != n:
            out[i] = t


def settled_first(a, b, c, out):
    n = len(out)
    for i in range(n):  # native
        if n == n or (a[i] - b[i]) >= c[i]:
            out[i] = 1.0


def squared(a, b, c, out):
    for i in range(len(out)):  # native
        if (a[i] - b[i]) * (a[i] - b[i]) < 0:
            out[i] = 1.0


def magnitude(a, b, c, out):
    for i in range(len(out)):  # native
        t = abs(a[i] * 0.0)
        if t < 0:
            out[i] = t


def same_arms(a, b, c, out):
    for i in range(len(out)):  # native
        out[i] = 1.0 if (a[i] - b[i]) > c[i] else 1.0


def compared_to_itself(a, b, c, out):
    for i in range(len(out)):  # native
        t = a[i] - b[i]
        if t < t:
            out[i] = 1.0


def both_ways(a, b, c, out):
    for i in range(len(out)):  # native
        t = a[i] - b[i]
        if t < c[i] or t >= c[i] or t != t:
            out[i] = 2.0


def data(k):
    a, b = np.arange(60.0) / 60, np.full(60, 1 / 3)
    c, out = np.ones(60), np.zeros(60)
    if k is not None:
        a[k] = b[k] = np.inf
        c[k] = -1.0
    return a, b, c, out


FORMS = (
    branch_only,
    branch_if,
    overwritten_path,
    last_inner,
    store_over,
    store_same,
    store_folded,
    store_named,
    store_divided,
    store_masked,
    store_least,
    store_twice,
    store_clamped,
    unread,
    compared,
    ands,
    sum_unused,
    idle_if,
    bool_var,
    broken,
    tail,
    inlined,
    cols,
    two_d,
    wherelike,
    equal_arms,
    unrolled,
    unrolled_store,
    equal_stores,
    carried,
    chained,
    between,
    excluded,
    chained_idle,
    sum_break,
    sum_reset,
    while_idle,
    inner_while,
    rows,
    copy_idle,
    and_and,
    nested_if,
    indexed,
    stencil_twice,
    stored_all,
    returned,
    ended,
    settled_truth,
    settled_effect,
    settled_first,
    squared,
    magnitude,
    same_arms,
    compared_to_itself,
    both_ways,
)
for form in FORMS:
    for k in (None, 0, 31, 58, 59):
        a, b, c, out = data(k)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = form(a, b, c, out)
        texts = sorted({(str(w.message), w.lineno) for w in caught})
        show(form.__name__, str(k), result, out, len(caught))
        print("   ", *texts)
