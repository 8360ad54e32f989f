"""Rolled and transposed arrays, and sums of whole arrays of several axes."""

from zlib import crc32

import numpy as np

rng = np.random.default_rng(31)


def show(*values):
    for v in values:
        v = np.asarray(v)
        print(v.dtype, v.shape, v.tolist() if v.size < 40 else crc32(np.ascontiguousarray(v)))


# ---- Rolls


def advect(u, c, steps):
    for _ in range(steps):  # native
        u = u - c * (u - np.roll(u, 1))
    return u


def diffuse(u, k, steps):
    for t in range(steps):  # native
        lap = np.roll(u, 1) + np.roll(u, -1) - 2 * u
        u[:] = u + k * lap
    return u


def heat(u, steps):
    for _ in range(steps):  # native
        u += 0.1 * (
            np.roll(u, 1, axis=0)
            + np.roll(u, -1, axis=0)
            + np.roll(u, 1, axis=1)
            + np.roll(u, -1, 1)
            - 4 * u
        )


def by_variable(x, shifts, out):
    for i in range(len(shifts)):  # native
        out[i] = np.roll(x, shifts[i])
        out[i] += np.roll(x[::2], -shifts[i])[0] + np.roll(x * 2.0, i)[-1:]


def of_ints(x, y):
    for i in range(4):  # native
        x[:] = np.roll(x, 3)
        y[:] = np.roll(y, i, axis=-1) + np.roll(x, -2)
    return i


show(advect(rng.random(17), 0.3, 20), diffuse(rng.random(50), 0.2, 9))
u = rng.random((9, 14))
heat(u, 7)
show(u)
out = np.zeros((9, 7))
by_variable(rng.random(7), [0, 1, -1, 6, 7, 8, -20, 10**12, -(10**15)], out)
show(out)
x, y = np.arange(5), np.arange(10).reshape(2, 5)
of_ints(x, y)
show(x, y)


# Shifts beyond the length, and nothing to move, are CPython's.
def short(x, out):
    for i in range(out.shape[0]):
        out[i, : x.size] = np.roll(x, 3)
        out[i, : x.size] += np.roll(x, -5)
    return out


for n in 0, 1, 2, 3, 4, 6:
    show(short(rng.random(n), np.zeros((2, 6))))


# ---- Sums of all


def sums(a, s):
    for i in range(s.size):  # native
        s[i] = a.sum() + np.mean(a) + np.sum(a * 2.0) + (a[1:] - a[:-1]).sum()
        s[i] += (
            np.sum(a[:2]) + (a > 0.5).sum() + np.linalg.norm(a) + np.linalg.norm(a[:, ::2] - 1.0)
        )
        a[i % a.shape[0]] += 0.01


def of_planes(a, s):
    for i in range(a.shape[0]):  # native
        s[i] = a[i].sum() + a[i, 1:].mean() + np.sum(a[i] ** 2) + np.linalg.norm(a[i])
        s[i] += np.mean(a[i, 0]) - np.sum(a, axis=None)


def of_others(a, s):
    for i in range(s.size):  # native
        s[i] = a.sum() + np.sum(a[i % a.shape[0]])


for m, n in ((2, 3), (5, 8), (17, 9), (40, 65), (130, 200)):
    a, s = rng.random((m, n)), np.zeros(5)
    sums(a, s)
    show(s)
    b, s = rng.random((3, m, n)), np.zeros(3)
    of_planes(b, s)
    show(s)
for dtype in np.float32, np.int64, np.int8, np.bool_:
    s = np.zeros(4)
    of_others((rng.random((6, 70)) * 5).astype(dtype), s)
    show(s)


def of_named(a, u, s):
    for i in range(s.size):  # native
        e = np.exp(a - np.max(a))
        p = e / np.sum(e)
        s[i] = p.sum() + np.mean(p * p) + (a @ a.T).sum() + np.roll(p, 1, axis=0).mean()
        p[0] += 1.0
        u = u * 0.5 + p
        s[i] += u.mean() + np.sum(np.outer(a[0], a[1]))
        a += 0.125
    return u, p


# Parts of what the loop makes are not all of it.
def of_made_parts(a, s):
    for i in range(s.size):
        e = np.exp(a)
        f = e[:, 1:]
        s[i] = np.sum(e[1:, 1:]) + f.sum()


for shape in ((2, 3), (9, 14), (64, 130)):
    a, s = rng.random(shape), np.zeros(4)
    show(*of_named(a, rng.random(shape), s), s)
    show(*of_named(a, rng.random((shape[0], 2 * shape[1]))[:, ::2], s), s)
    of_made_parts(a, s)
    show(s)


def rates(t, state):
    x, y, z = state
    return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - t * z])


def lorenz(state, h, n, path):
    for i in range(n):  # native
        k1 = rates(2.0, state)
        k2 = rates(2.5, state + h / 2 * k1)
        state = state + h * k2
        path[i] = state
        a, b, c = path[i] * 0.5
        d = k1
        u, v = path[i : i + 2, 0]
        r, w = path[:2]
        path[i, 1] += a - b + c + d[0] + u - v + r[1] + w[2]
    return state


path = np.zeros((21, 3))
show(lorenz(np.array([1.0, 0.5, 0.25]), 0.01, 20, path), path)


def too_few(state, n):
    total = 0.0
    for i in range(n):
        x, y = state[: 1 + i]
        total += x + y
    return total


try:
    print(too_few(np.ones(4), 4))
except ValueError as e:
    print(e)


# Something lies between elements: CPython's.
def of_parts(a, s):
    for i in range(s.size):
        s[i] = a.sum() + np.mean(a) + np.sum(a[:, 1:])


for a in (rng.random((9, 30))[:, 3:20], rng.random((30, 9)).T, rng.random((9, 30))[::-1, ::2]):
    s = np.zeros(3)
    of_parts(a, s)
    show(s)


def until_close(u, tolerance):
    steps = 0
    change = 1.0
    while change > tolerance:  # native
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        change = np.sqrt(np.sum((new - u) ** 2))
        u[:] = new
        steps += 1
    return steps, change


u = rng.random((20, 30))
show(*until_close(u, 1e-3))
show(u)
