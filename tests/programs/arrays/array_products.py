"""Products of matrices, and of matrices with vectors, in NumPy's own order of additions, whatever way the factors lie."""

from zlib import crc32

import numpy as np

rng = np.random.default_rng(23)


def show(*values):
    for v in values:
        v = np.asarray(v)
        print(v.dtype, v.shape, v.tolist() if v.size < 40 else crc32(np.ascontiguousarray(v)))


# ---- Shapes


def with_vectors(a, b, x, y, out):
    for i in range(out.shape[0]):  # native
        out[i] = a @ x
        out[i] += np.dot(a, x)
        out[i] += a.dot(x) * 0.5
        out[i] -= y @ a.T
        out[i] += np.dot(x, b)
        out[i] += np.matmul(x, b)
        x[i % x.size] += 0.25


def of_matrices(a, b, out):
    for i in range(out.shape[0]):  # native
        out[i] = a @ b
        out[i] += np.dot(a, b)
        a[i % a.shape[0], 0] += 0.5


SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 64, 70)
for m in SIZES:
    for n in (1, 2, 3, 8, 19, 64, 65):
        a, b, x, y = rng.random((m, n)), rng.random((n, m)), rng.random(n), rng.random(n)
        out = np.zeros((3, m))
        with_vectors(a, b, x, y, out)
        print(m, n, out.tobytes().hex()[:400], crc32(out))
for m in (1, 2, 5, 16, 40):
    for n in (1, 3, 32, 41):
        for p in (1, 2, 9, 48):
            a, b = rng.random((m, n)) - 0.5, rng.random((n, p)) - 0.5
            out = np.zeros((2, m, p))
            of_matrices(a, b, out)
            print(m, n, p, crc32(out))


# ---- Nothing along an axis


def of_none(a, x, out):
    for i in range(out.shape[0]):  # native
        out[i] = a @ x
        out[i] += np.dot(a, x)


for m, n in ((3, 0), (0, 3), (0, 0)):
    out = np.ones((2, m))
    of_none(np.ones((m, n)), np.ones(n), out)
    show(out)


# ---- Parts of arrays, however they lie


def of_parts(a, x, out):
    for i in range(2, out.shape[0]):  # native
        out[i, : i - 1] = a[: i - 1, :i] @ x[:i]
        out[i, 1:i] += np.dot(a[1:i, 2:], x[2 : x.size])
        out[i, :i] += a[:i, ::2] @ x[: (x.size + 1) // 2]
        out[i, :i] += np.dot(a[:i, ::2], x[::2])
        out[i, :i] -= a[::2, :i].T @ x[: (a.shape[0] + 1) // 2]
        out[i, :i] -= np.dot(a[::2, :i].T, x[::2])
        out[i, :i] += x[::-1] @ a[:, :i]
        out[i, :i] += np.dot(x[::-1], a[:, :i])
        out[i, 0] += a[i, :i] @ a[:i, i]


for n in (6, 13, 40):
    a, x, out = rng.random((n, n)), rng.random(n), np.zeros((n, n))
    of_parts(a, x, out)
    show(out)


def transposed(a, b, out):
    for i in range(out.shape[0]):  # native
        out[i] = a.T @ a
        out[i] += a.T @ b
        out[i] += np.dot(a.T, a)
        out[i] += np.dot(b.T, a)
        out[i] += (b.T @ a).T
        a[i] += 1.0


for m, n in ((1, 1), (4, 3), (3, 4), (17, 33), (40, 40)):
    a, b, out = rng.random((m, n)), rng.random((m, n)), np.zeros((min(m, 3), n, n))
    transposed(a, b, out)
    show(out)


def of_computed(a, b, out):
    for i in range(out.shape[0]):  # native
        out[i] = (2.0 * a.T) @ b
        out[i] += np.dot(a.T - 0.5, b) + np.exp(-a.T) @ (b * 0.5)
        out[i] += (b.T @ (a / 3.0)).T
        a[0] += 0.5


for m, n in ((1, 1), (1, 4), (4, 1), (3, 5), (33, 17), (40, 40)):
    a, b, out = rng.random((m, n)), rng.random((m, n)), np.zeros((2, n, n))
    of_computed(a, b, out)
    show(out)


# CPython's: what is computed from an array that lies column by column may lie so, too.
def by_columns(a, x, out):
    for i in range(out.shape[0]):
        out[i] = a @ x
        out[i] += (a * 2.0) @ x
        b = a + 1.0
        out[i] += b @ x


for order in "CF":
    for n in (5, 40):
        a, x = np.array(rng.random((n, n)), order=order), rng.random(n)
        out = np.zeros((3, n))
        by_columns(a, x, out)
        show(out)


# ---- Whole arrays of transposed ones


def turned(a, b):
    for i in range(3):  # native
        a[:] = 0.5 * (a + a.T)
        a += b.T * i
        b[i] = a.T[i] + a.T[i, 0] - a.T[1:, i + 1].sum()
        a[1:4] += b.T[:3, ::-1] - b.T[i]
        a[:] = b.T
        a -= np.transpose(b)
    return i


a, b = rng.random((6, 6)), rng.random((6, 6))
turned(a, b)
show(a, b)


# ---- Types


def of_types(a, b, x, out, out2):
    for i in range(out.shape[0]):  # native
        out[i] = a @ x
        out2[i] = a @ b
        out2[i] += np.dot(a, b.T).T
        x[i] += 1


for dtype in np.float32, np.int64:
    for n in (1, 3, 20):
        a, b, x = ((rng.random(s) * 9).astype(dtype) for s in ((n, n), (n, n), n))
        out, out2 = np.zeros((n, n), dtype), np.zeros((n, n, n), dtype)
        of_types(a, b, x, out, out2)
        show(out, out2)


# ---- What programs do with them


def power_iteration(a, x, steps):
    for _ in range(steps):  # native
        y = a @ x
        norm = np.sqrt(y @ y)
        x = y / norm
    return x, norm


def conjugate_gradients(a, b, x, steps):
    r = b - a @ x
    p = r.copy()
    rs = r @ r
    for _ in range(steps):  # native
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        if np.sqrt(new) < 1e-12:
            break
        p = r + (new / rs) * p
        rs = new
    return x


def recurrent(xs, wx, wh, bias, h):
    states = np.zeros((xs.shape[0], h.size))
    for t in range(xs.shape[0]):  # native
        h = np.tanh(wx @ xs[t] + wh @ h + bias)
        states[t] = h
    return states


def kalman(zs, f, h, q, r, x, p):
    n = x.size
    gains = np.zeros((zs.size, n))
    for k in range(zs.size):  # native
        x = f @ x
        p = f @ p @ f.T + q
        s = h @ p @ h + r
        gain = p @ h / s
        x = x + gain * (zs[k] - h @ x)
        p = p - np.outer(gain, h @ p)
        gains[k] = gain
    return x, gains


def cholesky_by_rows(a):
    for i in range(a.shape[0]):  # native
        a[i, i] = np.sqrt(a[i, i] - a[i, :i] @ a[i, :i])
        a[i + 1 :, i] = (a[i + 1 :, i] - a[i + 1 :, :i] @ a[i, :i]) / a[i, i]


def markov(p, start, steps):
    for _ in range(steps):  # native
        start = start @ p
    return start


n = 24
m = rng.random((n, n))
spd = m @ m.T + n * np.eye(n)
show(*power_iteration(spd, np.ones(n), 20))
show(conjugate_gradients(spd, rng.random(n), np.zeros(n), 30))
show(
    recurrent(
        rng.random((30, 5)), rng.random((8, 5)), rng.random((8, 8)) * 0.1, np.zeros(8), np.zeros(8)
    )
)
show(
    *kalman(
        rng.random(25),
        np.array([[1.0, 0.1], [0.0, 1.0]]),
        np.array([1.0, 0.0]),
        np.eye(2) * 0.01,
        0.5,
        np.zeros(2),
        np.eye(2),
    )
)
cholesky_by_rows(spd)
show(spd)
m /= m.sum(axis=1)[:, None]
show(markov(m, np.ones(n) / n, 50))


# ---- Shapes that do not fit raise


def wrong(a, x, out):
    for i in range(3):
        out[i] = 1.0
        if i == 1:
            out[:] = a @ x


out = np.zeros(4)
try:
    wrong(np.ones((4, 5)), np.ones(4), out)
except ValueError as e:
    print(e, out)


# ---- Overflow warns


def overflows(a, x, out):
    for i in range(3):
        out[i] = a @ x * 0.0


import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    out = np.zeros((3, 3))
    overflows(np.full((3, 4), 1e300), np.full(4, 1e300), out)
    print(len(caught), sorted({str(w.message) for w in caught}), out)
