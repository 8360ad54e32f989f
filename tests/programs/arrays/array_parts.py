"""Operations on whole arrays in loops: slices, rows, columns, in place and not."""

import numpy as np


def show(*arrays):
    for a in arrays:
        print(a.dtype, a.shape, a.tolist())


rng = np.random.default_rng(7)


def eliminate(a):
    n = a.shape[0]
    for k in range(n):  # native
        for i in range(k + 1, n):
            a[i, k] = a[i, k] / a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]


a = rng.random((9, 9)) + 9 * np.eye(9)
eliminate(a)
show(a)


def relax(a, b, steps):
    for _ in range(steps):  # native
        b[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        )
        a[1:-1, 1:-1] = 0.2 * (
            b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1]
        )


a = rng.random((7, 8))
b = a.copy()
relax(a, b, 5)
show(a, b)


def turned(u, v, steps):
    for _ in range(steps):  # native
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u, v = v, u
    return u


u = rng.random(11)
show(turned(u, u.copy(), 6))


def rows(a, w):
    for i in range(len(a)):  # native
        a[i] = a[i] * w[i] + np.sqrt(np.abs(a[i]))
        a[i, ::2] += 1.0
        row = a[i]
        row *= 0.5
        row[1:3] = -row[1:3]
    return row


a = rng.random((6, 5)) - 0.5
show(rows(a, rng.random(6)), a)


def columns(a):
    for j in range(1, a.shape[1]):  # native
        a[:, j] += a[:, j - 1] ** 2 * 1e-3
        a[::-1, j] = a[:, 0]


a = rng.random((4, 6))
columns(a)
show(a)


def whole(a, b, n):
    for k in range(n):  # native
        a[:] = a + b
        a += k
        a[0] = k


try:
    a, b = rng.random((3, 4)), rng.random((3, 4))
    whole(a, b, 4)
except Exception as e:  # noqa: BLE001
    print(type(e), e)
show(a, b)


def constant(a, b, n):
    for k in range(n):  # native
        a[k, :] = k
        a[k, 1:3] = b[k]
        b[k + 1 : k + 3] += a[k, 0]


a, b = np.zeros((6, 5)), np.arange(9.0)
constant(a, b, 6)
show(a, b)


# ---- Types


def ints(a, b):
    for i in range(a.shape[0]):  # native
        a[i] = a[i] * 3 + b
        a[i, 1:] -= a[i, :-1] // 2 if False else b[1:] // 2
        a[i] |= 1


a = np.arange(20, dtype=np.int32).reshape(4, 5)
ints(a, np.arange(5, dtype=np.int32))
show(a)


def narrow(f, d):
    for i in range(f.shape[0]):  # native
        f[i] = f[i] * 0.1 + d[i]
        f[i] *= 1.5
        d[i] += f[i]


f, d = rng.random((4, 3)).astype(np.float32), rng.random((4, 3))
narrow(f, d)
show(f, d)


def into_ints(a, x):
    for i in range(a.shape[0]):  # native
        a[i] = x[i] * 10.0


a = np.zeros((3, 4), np.int64)
into_ints(a, rng.random((3, 4)))
show(a)


def refused(a):
    for i in range(a.shape[0]):  # cpython
        a[i] += 0.5


try:
    refused(np.zeros((3, 2), np.int64))
except TypeError as e:
    print(type(e).__name__, str(e)[:60])


def complexes(z, n):
    for i in range(n):  # native
        z[i] = z[i] + z[0] - 0.25j
        z[i, 1:] -= 1.0


z = rng.random((4, 3)) + 1j * rng.random((4, 3))
complexes(z, 4)
show(z)


# ---- Shapes that do not fit, ends that are beyond


def misfit(a, b):
    for i in range(3):  # native
        a[i] = 1.0
        a[i, 1:] = b[i:]


a = np.zeros((3, 4))
try:
    misfit(a, np.ones(2))
except ValueError as e:
    print(e)
show(a)
a = np.zeros((3, 4))
try:
    misfit(a, np.array([7.0, 8.0, 9.0]))
except ValueError as e:
    print(e)
show(a)


def beyond(a, n):
    for k in range(n):  # native
        a[k, k - 2 :] += 1.0
        a[k, : k + 3] -= 0.5


a = np.zeros((30, 32))
beyond(a, 30)
show(a)


def far(a, n):
    for k in range(n):  # native
        a[1, -k:] += 1.0
        a[2, -7:] = k
        a[0, 9:] = 3.0


for width in 5, 9, 12:
    a = np.zeros((3, width))
    far(a, 7)
    show(a)


def steps(a, s):
    for k in range(3):  # native
        a[k, 1::3] = k + 1
        a[k, :4:2] *= 2.0


a = np.ones((3, 8))
steps(a, 2)
show(a)


def nowhere(a):
    for k in range(3):  # native
        a[k, 2:2] = 5.0
        a[k, 3:1] = a[k, 3:1] + 1.0


a = np.zeros((3, 4))
nowhere(a)
show(a)


def index_error(a):
    for k in range(5):  # native
        a[k, 1:] = k


a = np.zeros((4, 3))
try:
    index_error(a)
except IndexError as e:
    print(e)
show(a)


# ---- Memory that is shared


def shifted(x, y):
    for _ in range(3):  # cpython
        x[:] = x + y


base = np.arange(8.0)
shifted(base[1:], base[:-1])
show(base)


def apart(x, y):
    for _ in range(3):  # native
        x[:] = x + y


apart(np.zeros(4), np.ones(4))
base = np.arange(8.0)
apart(base[:4], base[4:])
show(base)


def rows_of_one(a, i, j):
    for k in range(4):  # native
        a[i] -= 0.5 * a[j]
        a[i, :2] += a[j, :2]


a = rng.random((3, 4))
rows_of_one(a, 0, 2)
rows_of_one(a, 1, 1)
show(a)


def in_place(u, steps):
    for _ in range(steps):  # native
        u[1:-1] = u[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[1:] += u[:-1]
        u[::-1] *= 0.5 * u


u = rng.random(12)
in_place(u, 7)
show(u)


def in_place_2d(a, steps):
    for k in range(steps):  # native
        a[1:-1, 1:-1] = 0.25 * (a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1])
        a[k] = a[k, ::-1]
        a[:, k] += a[k, :]


a = rng.random((6, 6))
in_place_2d(a, 6)
show(a)


def in_place_swapped(u, v, steps):
    for _ in range(steps):  # native
        u[1:] = u[:-1] + v[1:]
        u, v = v, u
    return u, v


show(*in_place_swapped(rng.random(9), rng.random(9), 5))
show(*in_place_swapped(rng.random(9), rng.random(9), 4))


def in_place_of_two_sizes(u, v, steps):
    for _ in range(steps):  # native
        u[1:] = u[:-1] * 0.5
        u, v = v, u
    return u, v


show(*in_place_of_two_sizes(rng.random(9), rng.random(9), 4))
show(*in_place_of_two_sizes(rng.random(9), rng.random(300), 5))


def into_floats(a, f):
    for k in range(5):  # native
        f[1:] = f[:-1] + a[1:]
        a[2:] = f[:-2] * 3.0


a, f = np.arange(8), rng.random(8).astype(np.float32)
into_floats(a, f)
show(a, f)


def scaled_by_own(a):
    for i in range(a.shape[0]):  # native
        a[i] /= a[i, 0]


a = rng.random((3, 4))
scaled_by_own(a)
show(a)


# ---- Warnings and what is left to CPython


def divided(a, b):
    for i in range(a.shape[0]):  # native
        a[i] = a[i] / b[i]


a, b = np.ones((12, 3)), rng.random((12, 3))
b[5, 1] = 0.0
with np.errstate(all="ignore"):
    divided(a, b)
show(a)
divided(a, b)
try:
    with np.errstate(divide="raise"):
        divided(a, b)
except FloatingPointError as e:
    print(e)
show(a)


def extremes(a, b):
    for i in range(a.shape[0]):  # native
        a[i] = np.maximum(a[i], 0.0)
        b[i] = np.minimum(b[i], a[i])


a, b = rng.random((40, 5)) - 0.5, rng.random((40, 5)) - 0.5
a[11, 2] = -0.0
b[12, 2] = np.nan
b[22, 1] = 0.0
extremes(a, b)
show(a, b)


def read_only(a, b):
    for i in range(2):  # cpython
        a[i] = b


frozen = np.zeros((2, 2))
frozen.flags.writeable = False
try:
    read_only(frozen, np.ones(2))
except ValueError as e:
    print(e)


def of_lists(a, xs):
    for i in range(3):  # cpython
        a[i] = xs
        xs[1:2] = [i]


a = np.zeros((3, 3))
of_lists(a, [1, 2, 3])
show(a)


def rare(a, log):
    for i in range(12):  # native
        a[i % 3] += i
        if i % 5 == 4:
            log.extend(a[:, 0].tolist())


a, log = np.zeros((3, 4)), []
rare(a, log)
show(a)
print(log)


# ---- Copies within an array, and functions of what lies backwards


def across(a, m):
    n = a.shape[0]
    for t in range(m):  # cpython
        for i in range(1, n):
            a[:, i] = a[i - 1, :]
            a[i, i] += t


a = np.arange(36.0).reshape(6, 6)
across(a, 5)
show(a)


def along(a, m):
    n = a.shape[0]
    for t in range(m):  # native
        for i in range(1, n):
            a[i, 1:] = a[i, :-1]
            a[i, :-2] = a[i, 2:]
            a[i] = a[i - 1]
            a[i, ::-1] = a[i]
            a[1:, 1:] = a[:-1, :-1]
            a[:, i] = a[i - 1] * 1.0


a = np.arange(36.0).reshape(6, 6)
along(a, 5)
show(a)
a = np.arange(36.0).reshape(6, 6).T
along(a, 5)
show(a)


def other_steps(x, m):
    for t in range(m):  # cpython
        x[1:5] = x[:8:2]


x = np.arange(9.0)
other_steps(x, 3)
show(x)


def decay(t, out):
    for i in range(t.shape[0]):
        out[i] = np.exp(t[i]) + np.log1p(np.abs(t[i])) + np.abs(t[i]) ** 1.5


t, out = rng.random((9, 100)), np.zeros((9, 100))
for given in t, t[:, ::-1], t[::-1], np.asfortranarray(t):
    decay(given, out)
    show(out)


def lengths_of_computed(a, x):
    for i in range(len(a)):  # cpython
        x += len(a[i] / 0.0)
    return x


def lengths_of_wrong(a, x):
    for i in range(len(a)):  # cpython
        x += len(~a[i, 1:])
    return x


with np.errstate(divide="raise"):
    try:
        lengths_of_computed(np.ones((5, 4)), 0)
    except FloatingPointError as e:
        print(e)
try:
    lengths_of_wrong(np.ones((5, 4)), 0)
except TypeError as e:
    print(str(e)[:30])


def powers(a, b, c):
    for i in range(len(a)):  # cpython
        c[i] = a[i] ** b[i]


a, b = rng.random((3, 500)) * 8, np.repeat([[2.0], [-1.0], [0.5]], 500, 1)
c = np.zeros_like(a)
powers(a, b, c)
show(c)


def without_rows(a, r):
    for i in range(len(r)):  # native
        a[:i, :] = a[:i, :] + 1.0 / r[i]


r = np.ones((6, 5))
without_rows(np.zeros((6, 5)), r)
r[0, 2] = 0.0
a = np.zeros((6, 5))
try:
    with np.errstate(divide="raise"):
        without_rows(a, r)
except FloatingPointError as e:
    print(e)
show(a)
