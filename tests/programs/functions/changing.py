"""Objects, names, functions and operators that change between two runs of one loop."""

import numpy as np, warnings, sys
from showing import attempt, show


# fill/aug/attribute accumulators, closures rebinding, arrays resized
class M:
    def __init__(s, n):
        s.x = np.zeros(n)
        s.v = [0.0] * n
        s.t = 0.0
        s.n = n
        s.hist = []

    def step(s):
        for i in range(s.n):
            s.v[i] += 0.5 - s.x[i]
            s.x[i] += s.v[i]
            s.t += abs(s.x[i])

    def bad(s):
        for i in range(s.n + 2):
            s.t += 1
            s.v[i] = s.t


m = M(10)
for _ in range(5):
    m.step()
show("m", m.t, m.v, m.x)
attempt(m.bad)
show("m", m.t, m.v)
m.n = 4
m.step()
show("m", m.t, m.v, m.x)
m.x.resize(20, refcheck=False)
m.n = 12
attempt(m.step)
show("m", m.t, m.v, m.x)
m.x = m.x.astype(np.float32)
m.v = np.zeros(20)
m.step()
show("m", m.t, m.v, m.x)


def shadow(a):
    range = lambda n: [0, 2]
    s = 0
    for i in range(len(a)):
        s += a[i]
    return s


attempt(shadow, [1, 2, 3])


def patched(a):
    s = 0
    for x in a:
        s += abs(x)
    return s


attempt(patched, [-1, 2])
abs = lambda x: 100
attempt(patched, [-1, 2])
del abs
attempt(patched, [-1, 2])
import math


def usesmath(a):
    s = 0.0
    for x in a:
        s += math.sqrt(x)
    return s


attempt(usesmath, [1.0, 4.0])
old = math.sqrt
math.sqrt = lambda x: x * 10
attempt(usesmath, [1.0, 4.0])
math.sqrt = old
attempt(usesmath, [1.0, 4.0])


def helper(x):
    return x + 1


def uses(a):
    for i in range(len(a)):
        a[i] = helper(a[i])
    return a


attempt(uses, [1, 2])


def helper(x):
    return x * 100


attempt(uses, [1, 2])
helper.__code__ = (lambda x: -x).__code__
attempt(uses, [1, 2])


def default(x, k=[3]):
    return x * k[0]


def usesd(a):
    for i in range(len(a)):
        a[i] = default(a[i])
    return a


attempt(usesd, [1, 2])
default.__defaults__ = ([5],)
attempt(usesd, [1, 2])


def mutual(n, a):
    s = 0
    for i in range(n):
        s += a[i] * 2
        a[i] = s
        if s > 50:
            return s, i
    return None


attempt(mutual, 5, [1, 2, 30, 40, 50])
attempt(mutual, 5, np.arange(5.0))


def swapnames(a, b, n):
    for k in range(n):
        a, b = b, a
        for i in range(len(a)):
            a[i] = b[i] + 1
    return a, b


x, y = [0] * 3, [5] * 3
attempt(swapnames, x, y, 3)
show("xy", x, y)
attempt(swapnames, x, x, 3)
show("xy", x)
attempt(swapnames, np.zeros(3), np.ones(2), 3)
attempt(swapnames, np.zeros(3), [1, 2, 3], 3)


def alias(a, b):
    for i in range(len(a) - 1):
        b[i + 1] = a[i] + 1
    return a, b


z = [1, 2, 3, 4]
attempt(alias, z, z)
z = np.arange(5)
attempt(alias, z, z)
attempt(alias, z[1:], z[:-1])
attempt(alias, z[::-1], z)
L = [[1, 2], [3, 4]]


def rowalias(L, r):
    for i in range(2):
        for j in range(2):
            L[i][j] += r[j]
    return L, r


attempt(rowalias, L, L[0])
attempt(rowalias, L, L[1])


def bigint(n):
    f = 1
    for i in range(1, n):
        f *= i
    return f


attempt(bigint, 30)


def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


attempt(fib, 100)
attempt(fib, 50)


def lcg(n, s):
    for _ in range(n):
        s = (s * 6364136223846793005 + 1442695040888963407) % 2**64
    return s


attempt(lcg, 1000, 1)
attempt(lcg, 1000, 2**70)


def pw(a, e):
    for i in range(len(a)):
        a[i] = a[i] ** e
    return a


for e in (2, -1, 0.5, 0, 70):
    attempt(pw, [2, 3, -4], e)
    attempt(pw, [2.0, 0.5, -4.0], e)
    attempt(pw, np.array([2, 3, -4]), e)
    attempt(pw, np.array([2.0, 3, -4]), e)


def mixc(a):
    s = 0
    for x in a:
        s = s + x
    return s


attempt(mixc, [1, 2.5, 1j])
attempt(mixc, [True, 2])
attempt(mixc, np.array([1 + 2j, 3]))
attempt(mixc, ["a"])
attempt(mixc, [np.float32(1), 2.5])


def neg0(a):
    for i in range(len(a)):
        a[i] = -a[i] * 0.0
    return a


attempt(neg0, [1, -1, 0])
attempt(neg0, [1.0, -1.0])
attempt(neg0, np.array([1.0, -0.0]))


def rnd(a):
    for i in range(len(a)):
        a[i] = round(a[i]) + round(a[i], 1) + int(a[i])
    return a


attempt(rnd, [0.5, 1.5, 2.5, -0.5, 2.675])
attempt(rnd, np.array([0.5, 1.5, 2.5]))
attempt(rnd, [1e300])
attempt(rnd, [float("inf")])
attempt(rnd, [float("nan")])


def shifts(a, k):
    for i in range(len(a)):
        a[i] = (a[i] << k) ^ (a[i] >> k)
    return a


for k in (0, 3, 63, 64, -1):
    attempt(shifts, [1, -5, 2**40], k)
    attempt(shifts, np.array([1, -5, 2**40]), k)
    attempt(shifts, np.array([1, 5], np.uint8), k)


def fdiv(a, b):
    out = []
    s = 0
    for i in range(len(a)):
        s += a[i] // b[i] + a[i] % b[i]
    return s


for p in (
    (7, -2),
    (-7, 2),
    (-7, -2),
    (7.5, -2),
    (-1e-20, 1.0),
    (-1.0, float("inf")),
    (5, 0),
    (5.0, 0.0),
    (-(2**63), -1),
):
    attempt(fdiv, [p[0]], [p[1]])
    attempt(fdiv, np.array([p[0]]), np.array([p[1]]))
