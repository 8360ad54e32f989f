"""Names that only the nest assigns: in an inner loop, in an earlier iteration, perhaps never."""

import numpy as np


def f1(a, n):
    total = 0
    for i in range(n):  # native
        for k in range(30):
            if a[i] * k > 50:
                break
        total += k
    return total, i, k


def f2(a, n, m):
    total = 0
    for i in range(n):  # native
        for k in range(m):
            t = a[i] * k
            if t > 50:
                break
        total += k + t
    return total, k, t


def f3(n):
    s = 0
    for i in range(n):  # native
        if i > 0:
            s += prev * i
        prev = i
    return s, prev


def f5(n):
    s = 0
    for i in range(n):
        for j in range(i):
            q = j
        s += q
    return s


def f4(n):
    s = 0
    for i in range(n):
        if i >= 0:
            s += prevx * i
        prevx = i
    return s, prevx


def attempt(f, *args):
    try:
        print(f(*args))
    except UnboundLocalError as error:
        print(error)


a = np.arange(10)
print(f1(a, 10), f2(a, 10, 5), f3(10))
print(f1(a.tolist(), 10), f2(a.tolist(), 10, 5))
attempt(f2, a, 10, 0)
attempt(f4, 5)
attempt(f5, 5)
attempt(f3, 0)
attempt(f1, a, 0)
