"""Arrays that follow from places, spreads, differences, and rows that change places by lists of numbers."""

import numpy as np

rng = np.random.default_rng(61)


def show(*values):
    for v in values:
        array = isinstance(v, np.ndarray)
        print((v.dtype, v.shape, v.strides, v.tolist()) if array else (type(v).__name__, v))


def kalman(zs, dt, q, r):
    F = np.array([1.0, dt, 0.0, 1.0]).reshape(2, 2)
    H = np.array([1.0, 0.0]).reshape(1, 2)
    Q = q * np.eye(2)
    x = np.zeros((2, 1))
    P = np.eye(2) * 100.0
    out = np.zeros((len(zs), 2))
    for k in range(len(zs)):  # native throughout
        x = F @ x
        P = F @ P @ F.T + Q
        y = zs[k] - H @ x
        S = H @ P @ H.T + r
        K = P @ H.T / S[0, 0]
        x = x + K @ y
        P = (np.eye(2) - K @ H) @ P
        out[k] = x[:, 0]
    return out, P


def identities(a, n):
    m = a.shape[0]
    total = 0.0
    for i in range(n):  # native throughout
        b = a + i * np.eye(m)
        c = np.identity(3)
        d = np.eye(2, 3, dtype=np.int64)
        e = np.arange(m)
        f = np.arange(4) * 0.5 + i
        total += (b * c).sum() + d.sum() + e.sum() + f[2]
    return total, b, c, d, e, f


def spreads(x, m, n):
    s = 0.0
    for i in range(n):  # native throughout
        y = x * (i + 1)
        s += np.std(y) + y.var() + np.var(x[1:]) + y.std(ddof=1) + np.std(m[:, 1])
        r = np.std(m, axis=0)
        c = m.var(axis=1)
        k = (m - m.mean(axis=0)) / m.std(axis=0, keepdims=True, ddof=1)
        w = np.var(m)
    return s, r, c, k, w


def differences(x, m, p, n):
    s = 0.0
    for i in range(n):  # native throughout
        d = np.diff(x * i)
        e = np.diff(m)
        f = np.diff(p)
        s += d.sum() + e[1, 0] + f[2]
    return s, d, e, f


def eliminate(A, b):
    n = len(b)
    for k in range(n):  # native throughout
        p = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[p, k]):
                p = i
        A[[k, p]] = A[[p, k]]
        b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            m = A[i, k] / A[k, k]
            A[i, k:] -= m * A[k, k:]
            b[i] -= m * b[k]
    return A, b


def cycled(a, n):
    m = len(a)
    for i in range(n):  # native throughout
        j, k = i % m, (i * 3 + 1) % m
        a[[0, j, k]] = a[[j, k, 0]]
        a[[j, -1], 1:] = a[[-1, k], 1:]
    return a


def picked(x, n):
    s = 0.0
    for i in range(n):  # native throughout
        y = x[[0, i % 3, 2]]
        s += y[0] * y[1] + y[2]
    return s, y


def beyond(a, n):
    for i in range(n):
        a[[0, i]] = a[[i, 0]]
    return a


def masks(a):
    for _ in range(2):
        a[[True, False, True]] = a[[False, True, True]]
    return a


x = rng.random(23)
m = rng.random((5, 3))
show(*kalman(rng.random(50), 0.1, 0.5, 2.0))
show(*identities(rng.random((3, 3)), 6))
show(*spreads(x, m, 5))
show(*spreads(rng.random(700), rng.random((40, 31)), 3))
show(*spreads(rng.random(9), np.asfortranarray(rng.random((6, 4))), 3))
show(*differences(x, m, np.array([3, 1, 4, 1, 5]), 4))
show(*eliminate(rng.random((9, 9)), rng.random(9)))
show(cycled(rng.random((7, 4)), 40))
show(*picked(x, 8))
a = np.arange(12.0).reshape(4, 3)
try:
    beyond(a, 6)
except IndexError as e:
    print(e)
show(a)
show(masks(np.arange(3.0)))
with np.errstate(all="ignore"):
    for size in (1, 2):
        for i in range(2):
            y = np.arange(float(size))
            print(np.std(y, ddof=1), y.var(ddof=i), np.diff(y))
