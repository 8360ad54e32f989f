"""Names that hold None or a number: at entry, in inner loops, from functions, compared, copied, left behind."""

import traceback

import numpy as np


def best_of(xs):
    best = None
    at = None
    for i, x in enumerate(xs):  # native
        if best is None or x < best:
            best = x
            at = i
    return best, at


def runs(flips):
    last = None
    n = longest = 0
    for f in flips:
        if f == last:
            n += 1
        else:
            n = 1
            last = f
        if n > longest:
            longest = n
    return longest, last


def while_none(n):
    prev = None
    i = 0
    t = 0
    while i < n:
        if prev is not None:
            t += i - prev
        prev = i * 2 % 7
        i += 1
    return t, prev


def stays_none(n):
    found = None
    t = 0
    for i in range(n):
        t += i
        if i == n - 5:
            found = i
    return found, t


def inner(n, m):
    s = 0
    for i in range(n):  # native
        best = None
        for j in range(m):
            v = (i * 7 + j * 13) % 101
            if best is None or v > best:
                best = v
        s += best
    return s


xs = [(i * 7919) % 100003 for i in range(30000)]
print(best_of(xs), best_of([]), best_of(xs[:1]))
print(runs([x & 1 for x in xs]), runs([]))
print(while_none(200000), stays_none(200000), stays_none(3))
print(inner(2000, 100))


def mixed(n, m, limit=None):
    out = []
    for i in range(n):
        first = last = None
        for j in range(m):
            v = (i * 31 + j * 17) % 97
            if v % 7 == 0:
                if first is None:
                    first = v
                last = v * 0.5
            if limit is not None and j > limit:
                break
        if first is not None and last is not None:
            out.append(first + last)
        else:
            out.append(-1)
    return out, first, last


def eq(n):
    c = 0
    for i in range(n):
        last = None
        for j in range(20):
            f = (i + j) // 3 % 2
            if f != last:
                c += 1
            if last == f:
                c += 10
            last = f
    return c, last


def raises(n):
    best = None
    s = 0
    for i in range(n):
        if i % 1000 == 999:
            best = None
        s += 1
        if i > 5000 and i % 1000 == 999:
            s += best
        if best is None and i % 1000 < 500:
            best = i
    return s, best


def setn(n):
    x = 5
    t = 0
    for i in range(n):  # native
        if x is None:
            x = i
        elif i % 3 == 0:
            x = None
        else:
            t += x
    return x, t


def onlynone(n):
    x = 3
    t = 0
    for i in range(n):
        t += i
        if i == n - 1:
            x = None
    return x, t


def texts(words):
    prev = None
    n = 0
    for k in range(len(words)):
        w = words[k]
        if prev is not None and prev == w:
            n += 1
        prev = w
        if k % 100 == 0:
            prev = None
    return n, prev


for limit in (None, 3, 50):
    r, a, b = mixed(300, 60, limit)
    print(sum(r), a, b)
print(mixed(3, 0), mixed(0, 1)[0] if False else 0)
print(eq(5000), setn(30000), setn(30001), setn(30002), onlynone(20000))
try:
    print(raises(20000))
except TypeError as e:
    print(e, traceback.extract_tb(e.__traceback__)[-1].lineno)
print(texts(["a", "b", "b", "cc", "cc", "cc"] * 3000))


class T:
    pass


def attr(t, n):
    for i in range(n):
        if t.best is None or i * 7 % 1000 > t.best:
            t.best = i * 7 % 1000
    return t.best


t = T()
t.best = None
print(attr(t, 100000), t.best)


def nearest(xs, x, start=None):
    best = start
    where = None
    for k in range(len(xs)):
        d = abs(xs[k] - x)
        if best is None or d < best:
            best, where = d, k
    return best, where


def clamp(x, lo=None, hi=None):
    if lo is not None and x < lo:
        x = lo
    if hi is not None and x > hi:
        x = hi
    return x


def default(x, y=None):
    if y is None:
        y = x * 2
    return x + y


def total(n, xs):
    s = 0
    for i in range(n):
        s += clamp(i, 5) + clamp(i, hi=7) + clamp(i) + default(i) + default(i, 3)
    return s


def all_nearest(xs, ys):
    out = []
    for y in ys:
        best = None
        for x in xs:
            d = (x - y) ** 2
            if best is None or d < best:
                best = d
        out.append(best)
    return out


def chain(n):
    lo = hi = None
    c = 0
    for i in range(n):  # native
        v = (i * 7919) % 1009
        if lo is None:
            lo = hi = v
        elif not lo <= v <= hi:
            lo, hi = min(lo, v), max(hi, v)
            c += 1
        if i % 500 == 0:
            lo = None
            hi = None
    return lo, hi, c


def truthy(n):
    last = None
    c = 0
    for i in range(n):  # native
        if last:
            c += 1
        last = None if i % 5 == 0 else i % 3
    return c, last


def swap(n):
    a, b = None, 1
    t = 0
    for i in range(n):
        a, b = b, a
        if a is None:
            t += 1
        if b is not None:
            t += b
    return a, b, t


def boolean(n):
    flag = None
    c = 0
    for i in range(n):
        if flag is None:
            flag = i % 2 == 0
        elif flag:
            c += 1
            flag = False
        else:
            flag = None
    return flag, c


def mixedtypes(n):
    x = None
    t = 0
    for i in range(n):  # native
        if i % 3 == 0:
            x = None
        elif i % 3 == 1:
            x = i
        else:
            x = i * 0.5
        if x is not None:
            t += x
    return x, t


def isis(n):
    x = None
    y = None
    c = 0
    for i in range(n):
        if x is y:
            c += 1
        if x == y:
            c += 10
        x = i if i % 2 else None
        y = i
    return c


def arrs(a):
    best = None
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if best is None or a[i, j] > best:
                best = a[i, j]
    return best


xs = [(i * 7919) % 1009 * 0.25 for i in range(3000)]
print(nearest(xs, 100.3), nearest(xs, 3, 0.5), nearest([], 3), nearest(xs, 5, 1e9))
print(
    total(20000, xs),
    sum(all_nearest(xs[:200], xs[:300])),
    all_nearest([], [1, 2]),
    chain(20000),
    truthy(20000),
    swap(2001),
    boolean(2001),
)
print(mixedtypes(20000), mixedtypes(20001), mixedtypes(20002), isis(2000))
a = np.random.default_rng(1).random((200, 300))
r = arrs(a)
print(type(r), r, arrs(a[:0]), type(arrs(a.astype(np.float32))))
last = None
for k in range(50000):
    if last is not None and k % 10 == 0:
        last += 1
    elif k == 777:
        last = 0
print(last)
found = None
for k in range(50000):
    if k * k > 10**9:
        found = k
        break
print(found)
del found
for k in range(3000):
    if k > 2995:
        found = None
print(found)


def find(xs, x):
    for k in range(len(xs)):
        if xs[k] == x:
            return k
    return None


def find2(xs, x):
    for k in range(len(xs)):
        if xs[k] > x:
            return xs[k]


def root(a, b, c):
    d = b * b - 4 * a * c
    if d < 0:
        return None
    return (-b - d**0.5) / (2 * a)


def use(xs, n):
    hits = s = 0
    for i in range(n):  # native
        k = find(xs, i % 60)
        if k is not None:
            hits += 1
            s += k
        if find2(xs, i % 70):
            s += 1
        if find(xs, i % 90) is None:
            s += 100
        if find(xs, i % 90) == 7:
            s += 1000
        r = root(1.0, i % 10, 4.0)
        if r is not None and r < 0:
            s += r
        last = k
        prev = last
    return hits, s, last, prev, k, r


print(use(list(range(50)), 20000), use([], 100), use(list(range(50)), 59))


def sumroots(n):
    s = 0.0
    for i in range(n):
        s += root(1.0, 5 + i % 3, 4.0)
    return s


print(sumroots(20000))


def bad(n):
    s = 0.0
    for i in range(n):
        s += root(1.0, 5 - (i == 9999) * 5, 4.0)
    return s


try:
    print(bad(20000))
except TypeError as e:
    print(e)


def copies(n):
    a = None
    b = 1
    t = 0
    for i in range(n):  # native
        c = a
        a = b if i % 4 else None
        b = c
        if a is None:
            t += 1
        if b is not None:
            t += b
        if b is None and i % 7 == 0:
            b = i
    return a, b, c, t


print(copies(2001), copies(7), copies(1))


def nothing(x):
    x + 1


def usenothing(n):
    t = 0
    for i in range(n):
        y = nothing(i)
        if y is None:
            t += 1
    return y, t


print(usenothing(10000))


class Ray:
    def __init__(self, r):
        self.r = r

    def hit(self, o, d):
        b = o * d
        c = o * o - self.r
        disc = b * b - c
        if disc > 0:
            t = -b - disc**0.5
            if t > 0:
                return t
        return None


def trace(rays, n):
    near = 0
    for i in range(n):  # native
        best = None
        for r in rays:
            t = r.hit(i * 0.001 - 5, 1.0)
            if t is not None and (best is None or t < best):
                best = t
        if best is not None:
            near += best
    return near


print(trace([Ray(1.0), Ray(2.0), Ray(0.5)], 10000))


def sometimes(n):
    if n > 3:
        return n


def deep(x, y):
    if x > 5:
        if x < 9:
            return y
        x = 4
    elif x < 2:
        return -1
    else:
        if y == x:
            return None
    if y > 20 and x > 3:
        return x * 2
    x = x + 1


def falls(n):
    y = 0.5
    for i in range(n):  # native
        y = sometimes(i)
    return y


def falls_deep(n):
    counts = [0, 0]
    for i in range(n):  # native
        z = deep(i % 11, i % 31)
        if z is None:
            counts[0] += 1
        else:
            counts[1] += z
    return counts, z


print(falls(12), falls(3), falls(0), falls_deep(5000), falls_deep(3), falls_deep(4))


def beside_texts(n):
    best = None
    hits = 0
    for i in range(n):  # native
        if best == "x":
            hits += 1
        if best != "x":
            hits += 2
        if "y" == best:
            hits += 4
        if i % 7 == 3:
            best = i * 2
        elif i % 11 == 5:
            best = None
    return best, hits


print(beside_texts(5000), beside_texts(6), beside_texts(3))
