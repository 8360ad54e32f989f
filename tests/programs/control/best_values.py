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


def highest_at(a, best):
    for i in range(len(a)):  # native
        if a[i] > a[best]:
            best = i
    return best


def nearest_at(a, q):
    at = len(a) - 1
    for i in range(len(a) - 1, -1, -1):  # native
        if abs(a[at] - q) > abs(a[i] - q):
            at = i
    return at


def lowest_in_rows(g, out):
    for i in range(g.shape[0]):  # native
        low = 0
        for j in range(1, g.shape[1]):
            if g[i, j] < g[i, low]:
                low = j
        out[i] = low
    return out


def first_and_last(a, b):
    """Both positions of the best, and what is thinned out meanwhile."""
    high = low = k = 0
    for i in range(1, len(a)):  # native
        if a[i] > a[high]:
            high = i
        if a[i] < a[low]:
            low = i
        b[k] = a[i] * 2
        k += 1
    return high, low, k


def by_turns(a, b):
    """What they are compared by changes from iteration to iteration."""
    best = 0
    for i in range(len(a)):  # native
        weight = b[i]
        if a[i] * weight > a[best] * weight:
            best = i
    return best


def moving(a):
    """What is compared changes."""
    best = 0
    for i in range(len(a)):  # native
        if a[i] > a[best]:
            best = i
        a[i] -= 0.25
    return best


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
show(
    "best",
    some_assign(c, 0.25, out),
    out.sum(),
    some_assign(c, 0.0, out),
    some_assign(c, 1e-5, out),
)
z = np.array([0.0, -0.0] * 5000)
show("best", top(z), top(-z), perhaps_unbound(z, 0.0), grid(-z.reshape(100, 100)))
d = np.cos(np.arange(float(N))).round(2)
for values in (d, -d, (d * 10).astype(np.int64), z, -z):
    room = np.zeros_like(values)
    show(
        "at",
        highest_at(values, 0),
        highest_at(values, 7),
        highest_at(values, -1),
        nearest_at(values, 0.5),
    )
    show(
        "at",
        first_and_last(values, room),
        room.sum(),
        lowest_in_rows(values[:900].reshape(30, 30), [0] * 30),
    )
show("at", by_turns(d, a[::-1]), by_turns(d, -d), by_turns(d, c), by_turns(d, -c))
show("at", moving(d), d.sum())
for where in (0, 1, 5_000, N - 1):
    d[where] = np.nan
    show("nan", highest_at(d, 0), highest_at(d, where), nearest_at(d, 0.25))
d[:] = np.nan
show("nan", highest_at(d, 3), nearest_at(d, 0.0))
d[:] = -np.inf
show("inf", highest_at(d, 3), highest_at(-d, 3), nearest_at(d, 0.0))
show("none", highest_at(d[:0], 3), highest_at(d[:1], 0))
