"""Names of what np.roll gives: to NumPy a view of an array that nothing names."""

import numpy as np


def neighbours(u, n):
    left = right = None
    for t in range(n):  # native
        left = np.roll(u, 1)
        right = np.roll(u, -1)
        u = u + 0.1 * (left - 2.0 * u + right)
        u[0] = u[-1] = 0.0
    return u, left, right


def around(u, n):
    for t in range(n):  # native
        u = np.roll(u, 1)
    return u


def by_turns(u, n):
    for t in range(n):  # native
        if t % 2:
            u = np.roll(u, 2)
        else:
            u = u * 2.0
    return u


def handed_on(u, n):
    v = u
    for t in range(n):  # native
        w = np.roll(u, 1)
        v = w
        u = u + w
    return u, v


def rolled(x, k):
    return np.roll(x, k) * 1.0 if k == 7 else np.roll(x, k)


def by_call(u, n):
    for t in range(n):
        u = rolled(u, t)
    return u


def rows(a, n):
    b = a
    for t in range(n):  # native
        b = np.roll(a, 1, axis=0)
        a = a + np.roll(b, -1, axis=1)
    return a, b


def updated(u, n):
    for t in range(n):  # native
        v = np.roll(u, 1)
        v[0] = 5.0
        v += u
        u = v * 0.5
    return u, v


def about(*arrays):
    told = []
    for a in arrays:
        base = a.base
        owner = None if base is None else (base.shape, base.flags.owndata)
        told.append((float(a.sum()), a.strides, a.flags.owndata, a.flags.writeable, owner))
    return told


for n in (1, 2, 3, 8):
    u = np.linspace(0.0, 1.0, 7)
    for f in (neighbours, around, by_turns, handed_on, by_call, updated):
        got = f(u, n)
        got = got if isinstance(got, tuple) else (got,)
        print(f.__name__, n, about(*got), [np.shares_memory(x, y) for x in got for y in (u, *got)])
    print(about(*rows(np.arange(12.0).reshape(3, 4), n)))
