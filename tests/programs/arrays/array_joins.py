"""Arrays side by side in loops, and columns that are turned into rows."""

import numpy as np

rng = np.random.default_rng(59)


def show(*values):
    for v in values:
        array = isinstance(v, np.ndarray)
        print((v.dtype, v.shape, v.strides, v.tolist(), v.base is None) if array else v)


def joined(a, b, m, n):
    s = 0.0
    for i in range(n):  # native throughout
        p = np.column_stack((a * i, b))
        q = np.vstack([a, b - i])
        r = np.stack((a, b, a + b), axis=-1)
        t = np.concatenate((m[:2], m[3:5] * i))
        u = np.concatenate([m[:, :1], m[:, 1:3], m[:, 2:3]], 1)
        v = np.hstack((a[:2], b[:3]))
        w = np.stack([a[:1], b[1:2]])
        x = np.concatenate((a[:2], a[:2]), axis=-1)
        s += p[1, 0] + q[1, 2] + r.sum() + t[3, 1] + u[2, 2] + v[4] + w[1, 0] + x[3]
    return s, p, q, r, t, u, v, w, x


def columns(pos, n):
    total = np.zeros((len(pos), 3))
    for k in range(n):  # native throughout
        x, y = pos[:, 0:1], pos[:, 1:2]
        dx = x.T - x
        dy = y.T - y
        far = dx * dx + dy * dy + 0.1
        ax = np.sum(dx / far, axis=1)
        ay = np.sum(dy / far, axis=1)
        total += np.column_stack((ax, ay, ax * k))
    return total, dx, far


def row(pos, n):
    for _ in range(n):
        x = pos[:, 0:1]
        turned = x.T
        turned[0, 1] += 1.0
    return turned, turned.base is x, x


def into(a, n):
    c = np.zeros((2, 3))
    for i in range(n):  # native throughout
        c[:] = np.vstack((a[:3], a[2:5] * i))
        a[:2] = np.hstack((c[0, :1], c[1, 2:3]))
    return c, a


def rest(a, b, n):
    for _ in range(n):
        c = np.hstack((a, b))
    return c


def wrong(a, b, n):
    for _ in range(n):
        c = np.vstack((a, b))
    return c


def flat(m, n):
    for _ in range(n):
        c = np.concatenate((m, m), axis=None)
    return c


show(*joined(rng.random(5), rng.random(5), rng.random((5, 3)), 20))
show(*columns(rng.random((7, 3)), 9))
show(*columns(np.asfortranarray(rng.random((7, 3))), 9))
show(*row(rng.random((4, 2)), 3))
show(*into(rng.random(5), 6))
for a, b in (
    (np.arange(3), np.arange(2.0)),
    (np.arange(3), np.arange(2)),
    (np.zeros(0), np.ones(2)),
):
    show(rest(a, b, 3))
show(flat(rng.random((2, 2)), 2))
ints = np.arange(3)
for a, b in ((ints, np.arange(2.0)), (ints, ints[:2]), (np.zeros(0), np.ones(2))):
    show(rest(a, b, 3))
show(flat(rng.random((2, 2)), 2))
for a, b in ((np.arange(3.0), np.arange(4.0)), (np.ones((2, 2)), np.ones((3, 1)))):
    try:
        show(wrong(a, b, 5))
    except ValueError as error:
        print(error)
