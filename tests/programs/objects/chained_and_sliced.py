from math import sin, cos, sqrt


class Point(object):
    __slots__ = ('x', 'y', 'z')

    def __init__(self, i):
        self.x = x = sin(i)
        self.y = cos(i) * 3
        self.z = (x * x) / 2

    def maximize(self, other):
        self.x = self.x if self.x > other.x else other.x
        self.y = self.y if self.y > other.y else other.y
        return self


class Pair:
    def __init__(self, a):
        self.lo = self.hi = a
        self.n = k = 0
        self.k = k


def chained(n):
    t = 0.0
    p = q = Pair(0)
    for i in range(n):
        p = q = Pair(i)
        q.hi += 1
        t += p.lo + q.hi + p.hi
    return t, p is q, p.hi


def made(n):
    t = 0.0
    for i in range(n):
        p = Point(i)
        t += p.x + p.y * p.z
    return t


def fields(n):
    o = Pair(1)
    for i in range(n):
        o.lo = o.hi = i
        a = o.n = o.lo + 1
    return o.lo, o.hi, o.n, a


def sliced(pts, k):
    s = 0.0
    for p in pts[1:]:
        s += p.x
    for p in pts[k:-k]:
        s += p.y
    for p in pts[::3]:
        p.z += 1.0
    for i, p in enumerate(pts[:k]):
        s += p.z * i
    for p in pts[len(pts):]:
        s += 1e9
    return s


def nested(pts, n):
    s = 0.0
    for i in range(n):
        for q in pts[i + 1:]:
            s += q.x * pts[i].y
    return s


def gone(pts):
    s = 0
    for p in pts[1:]:
        s += p.x
        if s > 3:
            break
    return s, p is pts[1], pts.index(p)


print(chained(20000), made(20000), fields(20000))
P = [Point(i) for i in range(3000)]
for k in (1, 2, 500):
    print(sliced(P, k))
print(nested(P, 300), gone(P))
print(sum(p.x for p in P[5:]), [p.y for p in P[-3:]], max(p.z for p in P[1:]))
