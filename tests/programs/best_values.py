"""The best of a loop with what goes along with it, and values that only some iterations assign."""

import numpy as np
from showing import show


def nearest(a, q):
    best = float("inf")
    at = -1
    for i in range(len(a)):  # native
        d = abs(a[i] - q)
        if d < best:
            best = d
            at = i
    return best, at


def top(a):
    m = a[0]
    k = 0
    for i in range(1, len(a)):  # native
        if a[i] > m:
            m = a[i]
            k = i
    return m, k


def grid(g):
    m = -1e9
    pi = pj = 0
    for i in range(g.shape[0]):  # native
        for j in range(g.shape[1]):
            if g[i, j] > m:
                m = g[i, j]
                pi = i
                pj = j
    return m, pi, pj


def perhaps_unbound(a, best):
    for i in range(len(a)):  # native
        if a[i] < best:
            best = a[i]
            at = i
    try:
        return best, at
    except UnboundLocalError as error:
        return str(error)


def last_of_equals(a, best):
    at = -1
    for i in range(len(a)):  # native
        if a[i] <= best:
            best = a[i]
            at = i
    return best, at


def some_assign(x, h, out):
    n = 0
    for i in range(len(x)):  # native
        dx = x[i] - 0.5
        if not -h < dx < h:
            continue
        dy = dx * 2
        out[i] = dy * dy
        n += 1
    try:
        return n, dy, dx, i
    except UnboundLocalError as error:
        return str(error)


N = 30_000
a = np.sin(np.arange(float(N))).round(3)
b = (a * 10).astype(np.int64)
show("best", nearest(a, 0.5), top(a), nearest(a[:0], 1.0), top(a[:1]))
show("best", top(b), nearest(b, 3), top(b[::-1]), last_of_equals(b, 100))
show("best", perhaps_unbound(b, -100), perhaps_unbound(b, 100), perhaps_unbound(a, 0.0))
show("best", grid(a[:20_000].reshape(100, 200)))
a[1000] = np.nan
show("best", nearest(a, 0.25), top(a), last_of_equals(a, 5.0))
a[0] = np.nan
show("best", top(a))
a[:] = np.nan
show("best", nearest(a, 0.25), top(a), perhaps_unbound(a, 1.0))
c = np.cos(np.arange(float(N))) ** 2
out = np.zeros(N)
show("best", some_assign(c, 0.25, out), out.sum(), some_assign(c, 0.0, out), some_assign(c, 1e-5, out))
z = np.array([0.0, -0.0] * 5000)
show("best", top(z), top(-z), perhaps_unbound(z, 0.0), grid(-z.reshape(100, 100)))
