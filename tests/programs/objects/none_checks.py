"""`is None` in loops: optional parameters, values that are found on the way."""

import numpy as np
from showing import show


def scaled(x, scale=None, shift=None):
    if scale is None:
        return x if shift is None else x + shift
    if shift is not None:
        x = x + shift
    return x * scale


def optional(xs, scale=None):
    s = 0.0
    for x in xs:  # native
        if scale is not None:
            x = x * scale
        s += scaled(x) + scaled(x, 2.0) + scaled(x, shift=1) + scaled(x, None, shift=3)
    return s


def handed_on(xs, scale):
    s = 0.0
    for i in range(len(xs)):  # native
        s += scaled(xs[i], scale) - (0.5 if scale is None else scale)
    return s


def limited(n, tolerance=None, callback=None):
    x, k = 1.0, 0
    while k < n:  # native
        x = 0.5 * (x + 2.0 / x)
        k += 1
        if tolerance is not None and abs(x * x - 2.0) < tolerance:
            break
        if callback is not None:
            callback(x)
    return x, k


def least(xs):
    best = None
    for x in xs:
        if best is None or x < best:
            best = x
    return best


def least_of_rows(rows):
    found = []
    for row in rows:
        best = None
        for x in row:
            if best is None or x < best:
                best = x
        found.append(best)
    return found


def not_none(n, xs, table):
    k = 0
    for i in range(n):  # native
        k += (xs is not None) + 2 * (i is None) + 4 * (table is None) + 8 * (xs[i] is not None)
    return k


class Model:
    def __init__(self, noise=None):
        self.noise = noise
        self.x = 0.0

    def run(self, n):
        for k in range(n):  # native
            self.x += 1.0 if self.noise is None else self.noise * k
        return self.x


def rebound(xs, start=None):
    for x in xs:
        if start is None:
            start = x
        start += x
    return start


def defaulted(x, n=None):
    if n is None:
        n = 3
    return x * n


def with_default(xs):
    s = 0
    for x in xs:
        s += defaulted(x) + defaulted(x, 5)
    return s


xs = [0.5, -1.5, 2.25, 3.0, -0.25]
show("optional", optional(xs), optional(np.array(xs), 3), optional(xs, np.float64(0.5)))
show("handed on", handed_on(xs, None), handed_on(xs, 2.5), handed_on(np.array(xs), None))
shown = []
show("limited", *limited(50), *limited(50, 1e-9), *limited(4, None, shown.append), shown)
show("least", least(xs), least(np.array(xs)), least([]), least(range(5, 0, -1)))
show("rows", *least_of_rows([xs, xs[::-1], [1], []]), *least_of_rows(np.arange(12.0).reshape(3, 4)))
show("not none", not_none(5, xs, {}), not_none(5, np.array(xs), None))
show("model", Model().run(9), Model(0.5).run(9), Model(None).run(0))
show("rebound", rebound(xs), rebound(xs, 1), rebound([]))
show("default", with_default(xs), with_default([1, 2]))


class Odd:
    def __getattr__(self, name):
        return None


class Holder:
    def __init__(self, inner):
        self.inner = inner


def of_inner(h, n):
    k = 0
    for i in range(n):
        k += (h.inner.limit is None) + 2 * (h.inner is None)
    return k


show("inner", of_inner(Holder(Odd()), 5), of_inner(Holder(Model()), 0))
