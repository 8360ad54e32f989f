"""np.cumsum of arrays of one axis: element after element, zeros of either sign, overflows, and ints that wrap."""

import warnings

import numpy as np


def sums(x, n):
    s = np.zeros(len(x), dtype=x.dtype)
    for t in range(n):  # native
        c = np.cumsum(x)
        s += c
    return s, c


def means(x, n):
    for t in range(n):  # native
        x = np.cumsum(x) / (np.arange(len(x)) + 1)
        x[0] -= 0.5
    return x


def parts(a, n):
    total = 0.0
    for t in range(n):  # native
        for i in range(a.shape[0]):
            total += np.cumsum(a[i, ::2] * 2.0)[-1]
            a[i, :] = np.cumsum(a[i, :])
    return total


def left_alone(a, b, n):
    for t in range(n):
        c = np.cumsum(a)
        d = np.cumsum(a, axis=0)
        e = np.cumsum(b)
    return c, d, e


rng = np.random.default_rng(4)
x = rng.standard_normal(50)
for y in (x, x.astype(np.float32), rng.integers(-9, 9, 40), x[::-2], np.array([-0.0, 0.0, -0.0])):
    for n in (1, 3):
        s, c = sums(y, n)
        print(s.dtype, s.sum(), c.tolist()[:4], c.flags.owndata, np.signbit(c[0]))
print(means(np.linspace(0, 1, 9), 4).sum(), parts(rng.random((3, 8)), 2))
print([z.sum() for z in left_alone(rng.random((3, 4)), np.array([True, False, True]), 2)])
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    print(sums(np.array([1e308, 1e308, -1e308]), 2), [str(w.message) for w in seen])
print(sums(np.array([2**62, 2**62, 5]), 2))
print(sums(np.array([1.0, np.nan, np.inf, -np.inf]), 1))
