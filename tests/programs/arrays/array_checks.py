"""Operations on arrays whose checks fail: nothing behind a check may touch memory that rests on it."""

import numpy as np

rng = np.random.default_rng(3)


def far(a, x, at):
    for i in range(a.shape[0]):  # native
        t = a[i, 1:]
        for k in range(len(x)):
            t[at] += x[k]
    return t


def far_and_more(a, x, at, c):
    for i in range(a.shape[0]):  # native
        t = a[i, 1:]
        for k in range(len(x)):
            t[at] = t[at] + x[k]
            c[k] = 1.0
    return t


def mixed(r, s):
    t = np.where(r > s, r, s)
    t[0] = 0.25
    return t


def beyond(a, b, v, m, n, first, last):
    j = 1
    for i in range(1, n):  # native
        a[1:, (i * 2) % 6] = mixed(b[j % 5], b[0][m[0] % 7])[: a.shape[0] - 1]
        for j in range(3):
            v[first:last] *= np.minimum(a[(i * 2) % 6, :], 0.5)
    return v


def too_wide(a, b, v, m, n):
    j = 1
    for i in range(1, n):
        a[1:, (i * 2) % 6] = mixed(b[j % 5], b[0][m[0] % 7])
        for j in range(3):
            v[2:9] *= np.minimum(a[(i * 2) % 6, :], 0.5)
    return v


def tried(f, *args):
    try:
        print(f.__name__, f(*args).tolist())
    except (IndexError, ValueError) as error:
        print(f.__name__, error)


a, x = np.zeros((3, 5)), np.arange(50.0)
for at in (2, -1, 4, 10**9, -(10**9)):
    tried(far, a, x, at)
    tried(far_and_more, a, x, at, x.copy())
print(a.tolist())
m = rng.integers(-9, 9, (6, 7))
for n in (6, 7):
    for f, ends in ((beyond, (0, 7)), (too_wide, ())):
        a, b, memory = rng.random((6, 7)), rng.random((6, 7)), np.full(23, 7.5)
        v = memory[8:15]
        v[:] = 1.5
        tried(f, a, b, v, m, n, *ends)
        print(memory.tolist())
