"""Names that hold a tuple from one iteration to the next: read before they are assigned, handed on, and returned by functions."""

import math

import numpy as np


def pendulum(t, y):
    return y[1], -math.sin(y[0])


def lotka(t, state, a=1.1, b=0.4):
    prey, hunter = state
    return (a * prey - b * prey * hunter, 0.1 * prey * hunter - b * hunter)


def step(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, (y[0] + h / 2 * k1[0], y[1] + h / 2 * k1[1]))
    k3 = f(t + h / 2, (y[0] + h / 2 * k2[0], y[1] + h / 2 * k2[1]))
    k4 = f(t + h, (y[0] + h * k3[0], y[1] + h * k3[1]))
    first = y[0] + h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
    second = y[1] + h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
    return first, second


def euler(n, h):
    t, y = 0.0, (1.0, 0.0)
    for _ in range(n):  # native throughout
        d = pendulum(t, y)
        y = (y[0] + h * d[0], y[1] + h * d[1])
        t += h
    return t, y


def runge_kutta(f, y, n, h):
    t = 0.0
    for _ in range(n):  # native throughout
        y = step(f, t, y, h)
        y = (y[0], y[1])
        t += h
    return y


def add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def scale(s, a):
    x, y, z = a
    return (s * x, s * y, s * z)


def twice_scaled(s, a):
    b = scale(s, a)
    return add(b, b)


def vectors(n):
    at = (0.0, 1.0, 2.0)
    moved = 0.0
    for i in range(n):  # native throughout
        d = scale(0.001 * i, at)
        e = add(at, d)
        at = (e[0], e[1], e[2] - 0.1)
        moved += twice_scaled(0.5, d)[2]
    return at, moved


def corners(n):
    low, high = (10, 10), (-10, -10)
    for i in range(n):  # native throughout
        x, y = i * 7 % 13 - 4, i * 5 % 11 - 6
        if x < low[0] or x == low[0] and y < low[1]:
            low = (x, y)
        if x > high[0]:
            high = (x, y)
    return low, high


def fibonacci(n):
    pair = (0, 1)
    for _ in range(n):  # native
        pair = (pair[1], pair[0] + pair[1])
    return pair


def unit(v):
    n = math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2)
    return (v[0] / n, v[1] / n, v[2] / n)


def nested_calls(n):
    s = 0.0
    for i in range(n):  # native throughout
        s += unit(add(unit((i + 1.0, 2.0, 3.0)), b=scale(0.5, (1.0, float(i), 0.0))))[1]
        x, y, z = unit(unit(add((i, 1, 2), (1.0, 2.0, 3.0))))
        s += x * y - z
    return s


def path(n):
    y, seen = (1.0, 2), []
    for i in range(n):  # native throughout
        y = (y[0] * 0.5, y[1] + i)
        seen.append(y)
    return y, seen


def other_types(pair, n):
    for i in range(n):
        pair = (pair[1], pair[0] + i)
    return pair


def wrong_length(pair, n):
    for i in range(n):
        pair = (pair[0] + i, pair[1])
    return pair


def kept(n):
    best = (0.0, 0)
    for i in range(n):  # native throughout
        v = math.sin(i * 1.7)
        if v > best[0]:
            best = (v, i)
    return best


def falls(n):
    y = (1.0, 2.0)
    for i in range(n):
        y = (y[0] + 1.0 / (5 - i), y[1])
    return y


def noted(f, y, n):
    global calls, last
    for i in range(n):
        y = f(i, y)
        last = y
        y = (y[0] + 1e-3, y[1])
        calls += 1
    return y


def branches(x):
    if x > 0.5:
        return x, 1
    return -x, 2


def of_branches(n):
    s, c = 0.0, 0
    for i in range(n):  # native throughout
        p = branches(math.sin(i))
        s += p[0]
        c += p[1]
    return s, c, p


def mixed_lengths(x):
    if x > 0.5:
        return x, 1
    return -x, 2, 3


def of_mixed(n):
    s = 0.0
    for i in range(n):
        p = mixed_lengths(math.sin(i))
        s += p[0] * len(p)
    return s, p


def shorter(z, n):
    s = 0.25
    for i in range(n):  # compiled from its second iteration on, where `z` has two items
        z = (i, z[1])
        if s < 2.0:
            s = 0.5
        s = s + z[1]
    return s, z


def as_subscripts(a, n):
    for i in range(n):  # native
        at = i % 3, i % 4
        a[at] += i
        row = (at[0],)
        a[row] *= 0.5
        before = a[at]
    return at, row, before


print(euler(500, 0.01))
print(runge_kutta(pendulum, (1.0, 0.0), 400, 0.01), runge_kutta(lotka, (10.0, 5.0), 300, 0.02))
print(vectors(60), corners(40), corners(0))
print(nested_calls(9), path(6), fibonacci(20), fibonacci(100), fibonacci(0))
for pair in [(1, 2), (1.0, 2.0), (1, 2.0), (True, 1), (np.float64(1), 2.0), [1, 2], (2**70, 1)]:
    result = other_types(pair, 5)
    print(result, [type(v).__name__ for v in result])
for pair in [(1, 2), (1, 2, 3), (1, "a"), (1, None), np.array([1, 2])]:
    result = wrong_length(pair, 3)
    print(result, type(result).__name__, [type(v).__name__ for v in result])
try:
    wrong_length((1,), 3)
except IndexError as e:
    print(e)
print(kept(50), kept(0), kept(1))
try:
    falls(9)
except ZeroDivisionError as e:
    print(e)
calls, last = 0, None
print(noted(pendulum, (0.1, 0.2), 20), calls, last)
print(of_branches(30), of_mixed(30))
state, t = (0.0, 1.0), 0.0
for k in range(300):  # native throughout
    slope = pendulum(t, state)
    state = (state[0] + 0.01 * slope[0], state[1] + 0.01 * slope[1])
    t += 0.01
print(state, t, slope, k)
print(shorter((1.0, 2.0, 3.0), 900), shorter((1.0, 2.0), 900), shorter((1.0, 2.0, 3.0), 1))
table = np.arange(12.0).reshape(3, 4)
print(as_subscripts(table, 200), table)
for wrong in [[[1.0, 2.0]], {(0, 0): 1.0, (1, 1): 2.0}]:
    try:
        print(as_subscripts(wrong, 1))
    except TypeError as e:
        print(e)
    except KeyError as e:
        print(e)
