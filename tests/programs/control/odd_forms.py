"""Loops written out and wrapped, texts, generators, methods, moved rows: odd combinations."""

import numpy as np


def u1(n):
    out = [0] * 20
    for i in range(n):  # native
        for d in (1, 2, 3):
            for e in (10, 20):
                if d == 2 and i % 2:
                    break
                if e == 20 and i % 3 == 0:
                    continue
                out[i % 20] += d * e
            else:
                out[(i + 1) % 20] += 1000
            if d == 3 and i == 5:
                break
        else:
            out[(i + 2) % 20] += 7
    return out, d, e


def u2(n):
    s = 0
    for i in range(n):  # native
        for d in (1.5, 2, True):
            s += d
        for a, (b, c) in ((1, (2, 3)), (4, (5, 6))):
            s += a * b - c
            for a in range(2):
                s += a
        s += a
    return s, d, a, b, c


def u3(n):
    for i in range(n):  # native
        for d in (3, 1, 2):
            d += i
            if d > 6:
                return d, i
    return None


def w1(p, n):
    t = 0
    for k in range(p[0], p[n]):  # native
        if k == 7:
            break
        if k == 3:
            continue
        t += k
    else:
        t = -t
    return t, k


def w2(p):
    for k in range(p[0], p[1], p[2]):
        if k * k > 50:
            return k
    return k, "end"


def w3(p, a):
    for k in range(p[0], p[1]):
        a[k] = k
        p[1] = 3
    return a, k


def w4(p):
    k = "old"
    for k in range(p[0], p[1]):
        pass
    return k


def w5(A, i):
    s = 0
    for j in range(len(A[i])):
        s += A[i][j]
    return s


def t1(a, b):
    r = []
    n = 0
    for c in a:  # native
        n = n * 2 % 100003
        if c == b:
            n += 1
        if c != b:
            n += 2
        if c < b:
            n += 4
        if c <= b:
            n += 8
        if c > b:
            n += 16
        if c >= b:
            n += 32
        if b > c:
            n += 64
        if b == "ab":
            n += 128
        if "x" != b:
            n += 256
    return n


def t2(text, pat):
    n = 0
    for i in range(len(text)):
        if pat in "abcab":
            n += 1
    return n


def t3(text):
    last = "?"
    n = 0
    for c in text:  # native
        if c == last:
            n += 1
        last = c
    return n, last


def g1(rows):
    s = 0
    for r in rows:
        x = 5
        s += sum(x for x in r if x > 1) * x
        s += max(x * x for x in r)
    return s, x


def g2(n):
    s = 0
    for i in range(n):  # native
        if any(i % d == 0 for d in range(2, i)):
            s += 1
        if all(i % d for d in range(2, i)):
            s += 100
    return s


def g3(a):
    t = 0
    for i in range(3):
        t += sum(v for v in a)
    return t


class C:
    total = 0

    def __init__(self, a):
        self.a = a
        self.k = 0

    def bump(self, i):
        self.a[i] += self.k
        self.total += self.a[i]
        if self.a[i] > 50:
            return
        self.k += 1

    def get(self, i):
        return self.a[i] + self.total

    def run(self, n):
        s = 0
        for i in range(n):  # native
            self.bump(i)
            s += self.get(i)
            self.k += 2
        return s, self.k, self.total


def outer(c, n):
    s = 0
    for i in range(n):  # native
        c.bump(i)
        if c.k > 6:
            c.k = 0
        s += c.k
    return s, c.k, c.total


def sw(A, n):
    for k in range(n):
        A[k], A[-1 - k] = A[-1 - k], A[k]
        A[k][0] = A[k][0] + 1
    return A


def sw2(A):
    for k in range(2):
        A[k], A[k + 5] = A[k + 5], A[k]
    return A


def sw3(A):
    r = A[0]
    for k in range(2):
        A[0], A[k] = A[k], A[0]
        r[0] += 1
    return A, r


def at(f, *a):
    try:
        print(f.__name__, f(*a))
    except Exception as e:
        print(f.__name__, type(e).__name__, e)


for n in (0, 1, 2, 7, 13):
    at(u1, n)
    at(u2, n)
    at(u3, n)
for p in ([0, 5, 9], [0, 0], [2, 4], [5, 2], [3, 7], [3, 8]):
    at(w1, p, 1)
    at(w1, np.array(p), 1)
    at(w4, p)
    at(w4, np.array(p))
at(w1, [0, 5], 3)
at(w2, [0, 20, 3])
at(w2, [9, 0, -2])
at(w2, [0, 5, 0])
at(w2, [0, 3, 1])
at(w2, [5, 5, 1])
at(w3, [0, 6, 0], [9] * 8)
at(w3, [0, 9, 0], [9] * 8)
at(w3, np.array([0, 6]), np.zeros(8))
at(w5, [[1, 2], [3, 4]], 1)
at(w5, [[1, 2], [3, 4]], -1)
at(w5, [[1, 2], [3, 4]], 2)
at(w5, np.ones((2, 3)), -3)
at(w5, [[1], [2, 3]], 1)
for b in ("a", "", "ab", "b", "\u00e9", "abc", "x"):
    at(t1, "abracadabra \u00e9xyz", b)
for p in ("a", "ab", "bc", "", "zz", "ca"):
    at(t2, "xxx", p)
at(t3, "aabbbc")
at(t3, "")
at(t3, "zz")
at(g1, [[1, 2], [3, 4]])
at(g1, [[0.5, 2.5]])
at(g1, np.arange(6).reshape(2, 3))
at(g1, [])
at(g2, 30)
at(g2, 3)
at(g3, [1, 2])
at(g3, [0.1] * 10)
at(g3, np.float32([0.1] * 10))
at(g3, np.int8([100, 100]))
at(g3, [True, False])
at(g3, [])
c = C(list(range(10)))
at(c.run, 8)
at(c.run, 3)
at(outer, c, 9)
print(c.a, C.total)
c = C(np.arange(10))
at(c.run, 8)
at(outer, c, 12)
print(c.a, c.k)
c = C([1.5] * 4)
at(c.run, 9)
print(c.a, c.k, c.total)
at(sw, [[1, 2], [3, 4], [5, 6]], 3)
at(sw, [[1, 2], [3, 4], [5, 6]], 5)
at(sw2, [[1], [2]])
at(sw3, [[1, 2], [3, 4]])
m = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]


def sw4(m):
    for i in range(2):  # native
        m[i][0], m[i][1] = m[i][1], m[i][0]
        m[0], m[1] = m[1], m[0]
    return m


at(sw4, m)
rows = [[1, 2]] * 3
at(sw, rows, 2)
A = np.arange(6).reshape(3, 2)


def sw5(A):
    for k in range(2):
        A[k], A[k + 1] = A[k + 1], A[k]
    return A


at(sw5, A)
