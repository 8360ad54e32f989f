"""Loops over generator expressions, `map` and `filter`, choices by key, and tuples of tuples in functions."""

import math

from showing import attempt, show


def squared(x):
    return x * x


def large(x):
    return x > 30


def mapped(xs, n):
    s = 0.0
    for k in range(n):  # native
        for x in map(squared, xs):
            if x > 900:
                break
            s += x
        else:
            s += 0.5
        for x, y in map(lambda p, q: (p, q * k), xs, xs[2:]):
            if x > y:
                continue
            s -= x
    return s


def generated(xs, n):
    s = 0.0
    for k in range(n):  # native
        for v in (a * k for a in xs if a > 3 if a < 40):
            s += v
            if s > 1e5:
                break
        for v in filter(large, xs):
            s += v
        for v in filter(None, xs):
            s -= v
        for v in filter(lambda t: t % 2 < k, xs):
            s += 1
    return s


def reduced(xs, n):
    s = 0.0
    for k in range(n):  # native
        s += sum(map(squared, xs)) + max(map(math.sqrt, xs)) - min(map(squared, xs))
        s += sum(filter(large, xs))
        if any(map(large, xs)) and not all(map(large, xs)):
            s += list(map(squared, xs))[3]
    return s


def unpacked(n):
    s = 0.0
    for k in range(n):  # native
        a, b, c = map(math.sqrt, (k, k + 1, k + 2))
        s += a * b - c
    return s


def chosen(rows, n):
    s = 0
    for k in range(n):  # native
        p = max(range(k, n), key=lambda i: abs(rows[i][k]))
        q = min(range(n), key=lambda i: rows[k][i])
        v = min(rows[k], key=abs)
        w = max((x - 0.25 for x in rows[k] if x > 0), key=lambda x: -x)
        s = (3 * s + 7 * p + q) % 10007 + int(1000 * v) + int(1000 * w)
    return s


def first_of_equals(xs, n):
    s = 0
    for k in range(n):  # native
        s += max(range(len(xs)), key=lambda i: xs[i] % 5) - min(range(len(xs)), key=lambda i: xs[i] % 3)
    return s


def around(y, x):
    places = ((y - 1, x), (y, x + 1), (y + 1, x), (y, x - 1))
    n = 0
    for y, x in places:
        n = 5 * n + 3 * y - x
    return n + places[1][0] * places[-1][1]


def pairs(n):
    s = 0
    for k in range(n):  # native
        s = (s + around(k, 2 * k)) % 10007
    return s


def corner(box):
    (a, b), c = box
    return a * b - c


def corners(n):
    s = 0
    for k in range(n):  # native
        s += corner(((k, k + 1), 3)) + corner(box=((1, k), k))
    return s


def shadowed(map, xs):
    s = 0
    for k in range(3):
        for x in map(squared, xs):
            s += x
        s += sum(map(squared, xs))
        a, b = map(squared, (k, k))
        s += a - b
    return s


def twice(f, xs):
    return [2 * f(x) for x in xs]


def until(xs, n):
    s = 0
    for k in range(n):
        for x in (10 // (x - 7) for x in xs):
            s += x
    return s


xs = [0.5 * i for i in range(1, 90)]
show(mapped(xs, 5), generated(xs, 6), reduced(xs, 5), unpacked(90))
rows = [[((i * 37 + j * 91) % 101) / 101 - 0.5 for j in range(40)] for i in range(40)]
show(chosen(rows, 40), first_of_equals(list(range(50)), 5))
show(pairs(90), corners(90), shadowed(twice, [1, 2, 3]))
attempt(lambda: until(range(12), 3))
attempt(lambda: chosen(rows, 41))
attempt(lambda: first_of_equals([], 3))
attempt(lambda: unpacked("x"))
