"""Stars in calls, and functions that take any number of arguments."""

import numpy as np


def model(x, a, b, c):
    return a * x * x + b * x + c


def sse(xs, ys, params):
    s = 0.0
    for x, y in zip(xs, ys):  # native
        d = model(x, *params) - y
        s += d * d
    return s


xs = [i * 0.001 for i in range(20000)]
ys = [model(x, 1.0, 2.0, 3.0) for x in xs]
print(sse(xs, ys, (1.5, 2, 3.0)), sse(xs, ys, [1.5, 2.5, 3.0]))


def attempt(f, *a):
    try:
        print(f(*a))
    except Exception as e:
        print(type(e).__name__, e)


attempt(sse, xs, ys, (1.5, 2))
attempt(sse, xs, ys, (1.5, 2, 3, 4))
attempt(sse, xs, ys, 5)
attempt(sse, xs, ys, np.array([1.0, 2.0, 2.5]))


def f(*args):
    t = 0
    for a in args:
        t += a
    return t + len(args)


def g(a, *more, scale=2):
    return a * scale + sum(more) - (more[0] if more else 5)


def h(n):
    s = 0
    for i in range(n):
        s += f(i, 2, 3) + f() - f(i)
        s += g(i) + g(i, 1) * g(i, 2, 3, scale=i % 3)
    return s


print(h(30000))


def between(lo, x, hi, k=3):
    return lo < x < hi


def count(n, ends):
    c = 0
    for i in range(n):  # native
        lo_hi = (i % 7, i % 11)
        c += model(i, *lo_hi, 3) > 5
        c += model(*ends, b=1, c=2) < i
    return c


print(count(20000, (3, 4)[:2]))


def count2(n, e):
    c = 0
    for i in range(n):
        c += model(*e, i)
    return c


attempt(count2, 20000, (3, 4, 5))
attempt(count2, 20000, (3, 4))
attempt(count2, 20000, "abc")
attempt(count2, 20000, [1.0, True, 2])


def printer(rows):
    t = 0
    for i in range(4000):
        t += i * 3
        if i % 1000 == 0:
            print(i, *rows, t)
            print(*rows, sep=",")
    return t


printer([1, 2, 3])


class P:
    def __init__(self, *xy):
        self.xy = xy

    def move(self, dx, dy):
        return self.xy[0] + dx, self.xy[1] + dy


def walk(p, n, step):
    sx = sy = 0
    for i in range(n):  # native
        x, y = p.move(*step)
        sx += x
        sy += y * i
    return sx, sy


print(walk(P(1, 2), 20000, (3, 4)))
