# `while True` that only an exception ends: stores that are not idempotent
import sys
import time

import numpy as np


class Found(Exception):
    pass


def hist(data, h):
    pos = 0
    try:
        while True:
            h[data[pos] & 7] += 1
            pos += 1
    except IndexError:
        pass
    return pos


def raise_found(data, h, x):
    pos = 0
    try:
        while True:
            h[data[pos] & 7] += 1
            if data[pos] == x:
                raise Found
            pos += 1
    except Found:
        pass
    return pos


def div(n, h):
    k = n
    try:
        while True:
            h[k & 7] += 1 // k * 0 + 1
            k -= 1
    except ZeroDivisionError:
        pass
    return k


def appnd(data):
    out = []
    i = 0
    try:
        while True:
            out.append(data[i] * 2)
            i += 1
    except IndexError:
        pass
    return len(out), i


def inner(rows):
    out = []
    for r in rows:
        i = 0
        try:
            while True:
                out.append(r[i])
                i += 1
        except IndexError:
            pass
    return len(out)


def two_d(m, h):
    i = 0
    try:
        while True:
            for j in range(10):
                h[j] += m[i, j]
            i += 1
    except IndexError:
        pass
    return i


def check(name, f):
    t = time.perf_counter()
    r = f()
    e = time.perf_counter() - t
    print(name, r, "SLOW" if e > 2 else "", flush=True)
    if e > 2:
        print("    %.1f s" % e, file=sys.stderr)


n = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
data = list(range(n))
arr = np.arange(n)


def h8():
    return [0] * 8


for rep in range(2):
    check("hist list", lambda: (lambda h: (hist(data, h), sum(h)))(h8()))
    check("hist array", lambda: (lambda h: (hist(arr, h), int(h.sum())))(np.zeros(8, int)))
    check("raise", lambda: (lambda h: (raise_found(data, h, n - 5), sum(h)))(h8()))
    check("div", lambda: (lambda h: (div(n, h), sum(h)))(h8()))
    check("append", lambda: appnd(data))
    check("append arr", lambda: appnd(arr))
    check("inner", lambda: inner([data[:100]] * (n // 100)))
    check(
        "2d",
        lambda: (lambda h: (two_d(arr[: n // 10 * 10].reshape(-1, 10), h), int(h.sum())))(
            np.zeros(10, int)
        ),
    )
