"""Names of arrays from outside that are made anew in the loop and updated in place: boundary conditions of time steps."""

import numpy as np


def heat(u, n):
    for t in range(n):  # native
        u = u + 0.1 * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
        u[0] = 0.0
        u[-1] = u[-2]
        u[1:3] += 0.25
    return u


def scaled(u, w, n):
    s = 0.0
    for t in range(n):  # native
        u = (u @ w) * 0.5
        s = u.sum() + 1.0
        u /= s
    return u, s


def carried(g, n):
    for t in range(n):  # native
        over = g // 4
        g = g % 4
        g[1:] += over[:-1]
        g[:-1] += over[1:]
    return g


def sometimes(u, n):
    for t in range(n):  # native
        if t % 3 == 0:
            u = u * 0.5
        u[t % len(u)] += 1.0
        u *= 1.01
    return u


def late(u, n):
    """In the first iteration it is the caller's array."""
    for t in range(n):
        u[0] = 7.0 + t
        u += 1.0
        u = u * 0.5
    return u


def never(u, n):
    for t in range(n):
        if t > 90:
            u = u * 0.5
        u[0] += 1.0
    return u


def kept(u, n):
    before = u
    for t in range(n):  # native
        before = u
        u = u * 0.5
        u[0] = t
    return u, before


def both(u, v, n):
    for t in range(n):
        u = u + v
        v = v * 0.5
        u[0] = v[0]
        v[-1] = u[-1]
        u, v = v, u
    return u, v


def square(a, n):
    for t in range(n):  # native
        a = 0.5 * a + 0.125
        a[0, :] = 0.0
        a[:, -1] = a[:, -2]
        a[1:-1, 1:-1] -= 0.01
        for i in range(a.shape[0]):
            a[i, i] = i
    return a


def shown(*arrays):
    return [(a.dtype.str, a.shape, float(a.sum())) for a in arrays]


for n in (0, 1, 2, 5, 40):
    u, w = np.linspace(0.0, 1.0, 9), np.full((9, 9), 0.25)
    for f, rest in ((heat, ()), (sometimes, ()), (late, ()), (never, ()), (scaled, (w,))):
        u = np.linspace(0.0, 1.0, 9)
        got = f(u, *rest, n)
        got = got[0] if isinstance(got, tuple) else got
        print(f.__name__, n, shown(got, u), got is u)
    g = np.arange(30) * 3 % 17
    print(shown(carried(g, n), g), shown(*both(np.ones(5), np.arange(5.0), n)))
    last, before = kept(np.arange(6.0), n)
    print(shown(last, before), last is before, before.base is None)
    a = np.arange(49.0).reshape(7, 7)
    print(shown(square(a, n), a))


def shared(n):
    u = np.zeros(5)
    seen = u
    view = u[1:3]
    for t in range(n):
        u = u + 1.0
        u[1] = 9.0
    return seen.sum(), view.sum(), u.sum(), seen is u


print(shared(0), shared(1), shared(6))
try:
    heat(np.zeros(2), 3)
except (IndexError, ValueError) as error:
    print(type(error).__name__)
