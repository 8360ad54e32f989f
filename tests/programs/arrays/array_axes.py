"""New axes, `...`, and reductions along axes, of whole arrays in loops."""

import numpy as np
from numpy import newaxis

rng = np.random.default_rng(17)


def show(*values):
    for v in values:
        print(type(v).__name__, np.asarray(v).dtype, np.asarray(v).tolist())


def pairs(u, v, a, n):
    for k in range(n):  # native
        a += u[:, None] * v
        a -= u[:, np.newaxis] / (v[newaxis, :] + 2.0)
        a[:, 0] += np.sum(np.outer(u, v), axis=1)
    return a


def outer(u, v, a, n):
    for k in range(n):  # native
        a += np.outer(u, v * 0.5)
        u[:] = a[:, 0]
    return a


def bodies(pos, mass, vel, dt, n):
    for _ in range(n):  # native
        for i in range(len(pos)):
            d = pos - pos[i]
            r2 = (d * d).sum(axis=1) + 0.01
            inv = mass / (r2 * np.sqrt(r2))
            vel[i] += dt * (d * inv[:, None]).sum(axis=0)
        pos += dt * vel
    return pos, vel


def centred(x, n):
    for k in range(n):  # native
        mean = x.mean(axis=0)
        x -= mean
        x *= 1.0 + 0.5 * k
        rows = np.mean(x, axis=-1, keepdims=True)
        x += rows
    return x, mean


def normed(x, n):
    for k in range(n):  # native
        x -= np.max(x, axis=1, keepdims=True)
        e = np.exp(x)
        x[:] = e / np.sum(e, axis=1, keepdims=True)
        x[...] += 0.125
    return x


def cubes(x, n):
    s = 0.0
    for k in range(n):  # native
        s += x.sum(axis=1)[0, 1] + x.sum(axis=0)[1, 0] + x.sum(2)[0, 0]
        x[..., 0] *= 0.5
        x[1, ...] += x[0, ..., :]
        s += np.max(np.abs(x)) - np.min(x)
    return s, x


def wholes(a, n):
    t = np.zeros(n)
    for k in range(n):  # native
        t[k] = a.sum(axis=0)[1] + a.max(axis=1)[k % 2] + np.sum(a, 1)[0] - a.min(0)[2]
        a[k % 3, :] += np.argmax(a, axis=1)[1] + a.argmin(axis=0)[0]
    return t, a


def tests(a, n):
    found = 0
    for k in range(n):  # native
        m = a > 0.1 * k
        if np.any(m, axis=0)[1] and not np.all(m, axis=1)[0]:
            found += 1
        if np.all(m):
            found += 100
    return found


def clips(a, low, n):
    for k in range(n):  # native
        a = np.clip(a * 1.5, low, 2.0)
        a = a.clip(-0.5, 1.75)
        low = np.clip(low - 0.125, -1.0, 0.5)
    return a, low


def backwards(r, y, n):
    for k in range(1, n):  # native
        a = np.dot(np.flip(r[:k]), y[:k])
        y[:k] += a * np.flip(y[:k])
        y[k] = a
    return y


def columns(a, n):
    for k in range(n):  # native
        a[:, 1:] -= a[:, 0:1] * a[0, 1:]
        a[0:1] *= 0.5
        a /= 1.0 + a.max(axis=1)[:, None]
    return a


def named(u, a, n):
    for k in range(n):
        column = u[:, None]
        a += column
    return a


def too_many(u, n):
    for k in range(n):
        u[..., 0, 0] = 1.0


def wrong_shape(a, v, n):
    for k in range(n):
        a += v[:, None]


show(pairs(rng.random(5), rng.random(4), np.zeros((5, 4)), 6))
show(outer(rng.random(5), rng.random(4), np.zeros((5, 4)), 6))
show(*bodies(rng.random((6, 3)), rng.random(6), np.zeros((6, 3)), 0.01, 8))
for shape in ((7, 5), (20, 3), (9, 1), (1, 9), (40, 17), (3, 200)):
    x = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 3, shape)
    show(*centred(x.copy(), 3), *centred(np.asfortranarray(x), 3))
    show(normed(x.copy(), 2), normed(x[::-1], 2), normed(x[:, ::-1], 2))
    show(*cubes(rng.standard_normal((2, *shape)), 3) if min(shape) > 1 else ())
x = (rng.standard_normal((40, 33)) * 1e3).astype(np.float32)
show(*wholes(x, 5), *wholes(rng.integers(-9, 9, (6, 5)), 5))
show(*wholes(rng.integers(0, 99, (6, 5), np.uint8).astype(np.int32), 4))
with np.errstate(invalid="ignore"):
    x[2, 2] = np.nan
    show(*wholes(x[:5, :5].astype(float), 3))
show(tests(rng.random((4, 3)), 12))
show(*clips(rng.standard_normal(9), -0.25, 5), *clips(np.array([0.0, -0.0, np.nan]), 0.0, 3))
show(backwards(rng.random(24), np.zeros(24), 24))
show(columns(rng.random((5, 5)), 4), columns(rng.random((1, 4)), 4), columns(rng.random((4, 1)), 4))
show(named(rng.random(3), np.zeros((3, 3)), 3))
try:
    too_many(np.zeros(3), 2)
except IndexError as error:
    print(error)
for a, v in ((np.zeros((3, 2)), np.zeros(4)), (np.zeros((0, 2)), np.zeros(1))):
    try:
        wrong_shape(a, v, 2)
        show(a)
    except ValueError as error:
        print(error)
show(*centred(np.zeros((3, 0)), 2))
show(pairs(np.zeros(0), rng.random(3), np.zeros((0, 3)), 2))
