"""The user's own small pure functions, called in loops."""

import math

import numpy as np
from showing import attempt, show


def square(x):
    return x * x


def clamp(x, low=0, high=10):
    """With a docstring and defaults."""
    if x < low:
        return low
    if x > high:
        return high
    return x


def poly(x, a, b=0.5, *, c=1.0):
    t = a * x
    t += b
    return t * x + c


def rotated(x, y, c, s):
    return c * x - s * y, s * x + c * y


def element(A, i, j):
    return A[i, j] if 0 <= i < A.shape[0] and 0 <= j < A.shape[1] else 0


def dot(a, b):
    s = 0.0
    for i in range(len(a)):
        s += a[i] * b[i]
    return s


def outer(x):
    return square(x) + square(x + 1)


def put(a, i, x):
    a[i] = x


def steps_to_one(n):
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


SCALE = 3
area = lambda r: math.pi * r * r  # noqa: E731


def scaled(x):
    return x * SCALE


def use_simple(a, out):
    for i in range(len(a)):  # native
        out[i] = square(a[i]) + square(i)
    return out


def use_defaults(a, out):
    for i in range(len(a)):  # native
        out[i] = clamp(a[i]) + clamp(a[i], 2) - clamp(a[i], high=4) + clamp(high=7, x=a[i], low=-1)
    return out


def use_keywords(a, out):
    for i in range(len(a)):  # native
        out[i] = poly(a[i], 2.0) + poly(a[i], 1.0, 0.25) - poly(a[i], b=2.0, a=0.5, c=3.0)
    return out


def use_tuple(x, y, n):
    for k in range(n):  # native
        x, y = rotated(x, y, 0.8, 0.6)
    return x, y


def use_element(A, out):
    for i in range(A.shape[0]):  # native
        for j in range(A.shape[1]):
            out[i, j] = element(A, i - 1, j) + element(A, i, j + 1) - element(A, i + 1, j - 1)
    return out


def use_rows(A, out):
    for i in range(len(A)):  # native
        for j in range(len(A)):
            out[i] += dot(A[i], A[j])
    return out


def use_nested(a):
    s = 0
    for x in a:  # native
        s += outer(x) - outer(square(x))
    return s


def use_store(a):
    for i in range(len(a)):
        put(a, i, a[i] * 2)
    return a


def use_loops(n):
    best = where = 0
    for i in range(1, n):  # native
        k = steps_to_one(i)
        if k > best:
            best, where = k, i
    return best, where, k


def use_lambda(a):
    s = 0.0
    for x in a:  # native
        s += area(x)
    return s


def use_global(a):
    s = 0
    for x in a:  # native
        s += scaled(x)
    return s


def use_in_condition(a):
    n = 0
    for x in a:  # native
        if x > 0 and square(x) < 50 or clamp(x) == 0:
            n += 1
        n += square(x) if x < 3 else clamp(x)
    while square(n) > 100:  # native
        n = n - 1 - clamp(n, 0, 3)
    return n


def use_closure(a, k):
    def shifted(x):
        return x + k

    s = 0
    for x in a:  # native
        s += shifted(x) * 2
    return s


def rebound_inside(a, swap):
    global square
    total = 0
    for half in range(2):
        for x in a:  # native
            total += square(x)
        if swap:
            square = lambda v: v + 1  # noqa: E731
    return total


def recursive(n):
    return 1 if n <= 1 else n * recursive(n - 1)


def use_recursive(a):
    s = 0
    for x in a:  # native
        s += recursive(x)
    return s


def impure(x, log=[]):  # noqa: B006
    log.append(x)
    return len(log)


def use_impure(a):
    s = 0
    for x in a:  # cpython
        s += impure(x)
    return s


def missing_argument(a):
    s = 0
    for x in a:
        s += poly(x)
    return s


def raises_inside(a):
    s = 0.0
    for x in a:  # native
        s += math.sqrt(clamp(x, -1))
    return s


def no_return(x):
    y = x


def use_none(a):
    for x in a:
        y = no_return(x)
    return y


def shadowed(a):
    i = 5
    x = 100
    for k in range(len(a)):  # native
        i += square(a[k])
        x -= clamp(i)
    return i, x


def use_argument(g, values):
    s = 0.0
    for v in values:  # native
        s += g(v * 0.5)
    return s


a = np.arange(-6, 14)
l = a.tolist()
f = (a * 0.37).tolist()
show("simple", use_simple(a, np.zeros(20)), use_simple(l, [0] * 20), use_simple(f, [0.0] * 20))
show("defaults", use_defaults(a, np.zeros(20, dtype=int)), use_defaults(l, [0] * 20))
show("keywords", use_keywords(a / 3, np.zeros(20)), use_keywords(f, [0.0] * 20))
show("tuple", *use_tuple(1.0, 0.0, 30), *use_tuple(np.float64(1.0), 0.5, 3))
show("element", use_element(a.reshape(4, 5), np.zeros((4, 5))))
show("rows", use_rows(a.reshape(5, 4) * 0.5, np.zeros(5)))
show("rows", use_rows([f[0:4], f[4:8]], [0.0] * 2))
show("nested", use_nested(a), use_nested(l), use_nested(f))
show("store", use_store(a.copy()), use_store(l[:]))
show("loops", *use_loops(150))
show("lambda", use_lambda(f), use_lambda(a * 0.5))
show("global", use_global(a), use_global(f))
SCALE = 2.5
show("global", use_global(a), use_global(l))
show("condition", use_in_condition(l), use_in_condition(a))
show("closure", use_closure(l, 3), use_closure(l, 0.5), use_closure(a, np.int64(2)))
show("rebound", rebound_inside(l, False), rebound_inside(l, True), rebound_inside(l, False))
show("recursive", use_recursive([1, 2, 5]))
show("impure", use_impure(l))
attempt(missing_argument, l)
attempt(raises_inside, [4.0, 9.0])
attempt(raises_inside, [4.0, 9.0, -0.5])
show("none", use_none(l))
show("shadowed", *shadowed(l))
show("argument", use_argument(lambda x: x * x + 1, f), use_argument(math.sin, f))
show(
    "argument",
    use_argument(
        lambda x, y=3: (
            x * y  # on lines of its own
        ),
        f,
    ),
)
