"""`raise` and `assert` inside nests, where they are reached and where they are not."""

import numpy as np


def pivots(A, b):
    n = len(b)
    for k in range(n):  # native
        if abs(A[k][k]) < 1e-12:
            raise ValueError(f"no pivot in row {k}")
        for i in range(k + 1, n):
            f = A[i][k] / A[k][k]
            for j in range(k, n):
                A[i][j] -= f * A[k][j]
            b[i] -= f * b[k]
    return b


def asserted(a):
    s = 0
    for x in a:  # native
        assert x >= 0, "negative"
        s += x
    return s


def root(x):
    if x < 0:
        raise ArithmeticError("below zero")
    return x**0.5


def roots(a, out):
    for i in range(len(a)):  # native
        out[i] = root(a[i])
    return out


def converge(x, limit):
    n = 0
    while abs(x * x - 2) > 1e-12:  # native
        x = 0.5 * (x + 2 / x)
        n += 1
        if n > limit:
            raise RuntimeError("no convergence")
    return x, n


def attempt(f, *args):
    try:
        print(f.__name__, f(*args))
    except Exception as error:
        print(f.__name__, type(error).__name__, error, error.__traceback__.tb_next.tb_lineno)


good = [[2.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 4.0]]
bad = [[1.0, 2.0, 3.0], [2.0, 4.0, 1.0], [1.0, 0.0, 1.0]]
attempt(pivots, good, [1.0, 2.0, 3.0])
attempt(pivots, bad, [1.0, 2.0, 3.0])
print(bad)
attempt(asserted, np.arange(5))
attempt(asserted, [3, 2, -1, 7])
out = [0.0] * 4
attempt(roots, [1.0, 4.0, 9.0, 16.0], out)
attempt(roots, [1.0, 4.0, -9.0, 16.0], out)
print(out)
attempt(converge, 1.0, 50)
attempt(converge, 1.0, 2)
