"""Small programs for differential tests: each prints, or leaves in its names, all it computes.

A program ends normally or with an exception; both ends are compared.
"""

PROGRAMS = {
    "sum at module level": """
s = 0
for i in range(7):
    s += i * i
""",
    "function": """
def f(n):
    s = 0
    for i in range(n):
        s += i
    return s, i
r = f(9)
""",
    "empty range leaves names unbound": """
def f(n):
    for i in range(n):
        t = i
    return sorted(locals())
r = f(0), f(3)
""",
    "zero trips then a read": """
def f(n):
    for i in range(n):
        t = i
    return t
f(0)
""",
    "nested": """
def f(a):
    out = []
    for i in range(len(a)):
        for j in range(i):
            out.append(a[i] * j)
    return out, i, j
r = f([1, 2, 3, 4])
""",
    "break and else": """
def f(a, k):
    for i in range(len(a)):
        if a[i] == k:
            break
    else:
        i = -1
    return i
r = [f([1, 2, 3], k) for k in range(6)]
""",
    "continue": """
def f(a):
    s = 0
    for x in a:
        if x % 2:
            continue
        s += x
    return s, x
r = f(list(range(10)))
""",
    "return inside": """
def f(a, k):
    for i in range(len(a)):
        for j in range(len(a)):
            if a[i] + a[j] == k:
                return i, j
    return None
r = [f([1, 2, 3, 4], k) for k in range(10)]
""",
    "bare return": """
log = []
def f(a):
    for x in a:
        if x > 2:
            return
        log.append(x)
    log.append("end")
r = f([1, 2, 3]), f([1])
""",
    "while": """
def f(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps, n
r = [f(n) for n in range(1, 12)]
""",
    "while, break, else": """
def f(n):
    k = 0
    while k < 5:
        if k == n:
            break
        k += 1
    else:
        k = 99
    return k
r = [f(n) for n in range(8)]
""",
    "while true": """
def f(n):
    k = 0
    while True:
        k += 1
        if k > n:
            return k
r = [f(n) for n in range(4)]
""",
    "index error": """
a = [1, 2, 3]
out = []
for i in range(5):
    out.append(a[i])
""",
    "error in a function": """
def f(a):
    s = 0
    for i in range(len(a)):
        s += 10 // a[i]
    return s
def g():
    return f([5, 2,
              0, 1])
g()
""",
    "error in the header": """
def f(n):
    for i in range(0, n,
                   0):
        pass
f(4)
""",
    "not iterable": """
def f(n):
    for i in n:
        pass
f(4)
""",
    "unpacking target": """
def f(a):
    s = 0
    for i, (x, y) in enumerate(a):
        s += i * x + y
    return s, i, x, y
r = f([(1, 2), (3, 4)])
""",
    "nonlocal": """
def f(n):
    total = 0
    last = None
    def g():
        nonlocal total, last
        for last in range(n):
            total += last
    g()
    return total, last
r = f(5)
""",
    "global": """
count = 0
def f(n):
    global count
    for i in range(n):
        count += i
f(5)
""",
    "method and private names": """
class A:
    total = 0
    for k in range(3):
        total += k
    def __init__(self, n):
        self.__n = n
        self.t = 0
    def run(self):
        __s = 0
        for __i in range(self.__n):
            self.t += __i
            __s += self.__n
        return __s, sorted(locals())
a = A(4)
r = a.run(), a.t, sorted(k for k in vars(A) if k[0] != "_")
del a
""",
    "generator": """
def g(n):
    s = 0
    for i in range(n):
        s += i
    yield s
    for i in range(n):
        yield i
r = list(g(4))
""",
    "generator that is an input": """
def f(it):
    s = 0
    for x in it:
        s += x
        if s > 3:
            break
    return s, list(it)
r = f(iter([1, 2, 3, 4, 5])), f(x for x in (1, 1, 1))
""",
    "inside if, try, with": """
import contextlib
def f(flag):
    s = 0
    try:
        if flag:
            with contextlib.suppress(ZeroDivisionError):
                for i in range(4):
                    s += 6 // (2 - i)
        else:
            for i in range(3):
                s += i
    finally:
        for j in range(2):
            s += 100
    return s, i, j
r = f(True), f(False)
""",
    "loops inside a refused loop": """
def f(n):
    out = []
    for k in range(n):
        "refuse"
        s = 0
        for i in range(k):
            if i == 3:
                break
            s += i
        else:
            s = -s
        if s < -3:
            continue
        out.append(s)
    return out
r = f(7)
""",
    "else that leaves the loop around": """
def f(n):
    found = []
    for p in range(2, n):
        "refuse"
        for d in range(2, p):
            if p % d == 0:
                break
        else:
            found.append(p)
            continue
        if p > 20:
            break
    for q in found:
        d += q
    return found, p, d
r = f(30)
""",
    "del of the loop variable": """
def f(n):
    for i in range(n):
        pass
    del i
    for i in range(n + 1):
        pass
    return i
r = f(3)
""",
    "maybe bound name": """
def f(a):
    for x in a:
        if x > 1:
            big = x
    return big
r = f([1, 2, 3]), f([5])
f([0, 1])
""",
    "rebound variable": """
def f(n):
    seen = []
    for i in range(n):
        i = i * 2
        seen.append(i)
    return seen, i
r = f(4)
""",
    "locals and dir": """
def f(n):
    s = 0
    for i in range(n):
        s += i
    return list(locals()), f.__code__.co_varnames, f.__code__.co_names
r = f(3)
""",
    "comprehensions": """
def f(a, n):
    b = [x * 2 for x in a if x > 1]
    if any(x > n for x in a):
        b += [n] * sum(x for x in b)
    for k in [i for i in range(n)]:
        b.append(max(k * x for x in a))
    return tuple([-x for x in b]), {k: [k for _ in a] for k in b[:2]}
def g(n):
    m = n
    def h():
        return [m + k for k in range(n)]
    m += 1
    return h()
def late(flag):
    if flag:
        y = 1
    return [y for _ in range(3)]
class C:
    size = [k for k in range(2)]
    def __init__(self):
        self.__own = [self.size[k] for k in range(2)]
    def own(self):
        return sum(v for v in self.__own)
r = [f([1, 2, 3], 2), g(3), [x for x in range(3)], C().own(), late(1)]
x = [(lambda: x)() for x in range(3)]
try:
    r.append(max(x for x in []))
except ValueError as error:
    r.append(str(error))
r.append(sum(v for v in iter([1, 2, 3])))
late(0)
""",
    "order of locals": """
def f(a):
    'doc'
    for i in range(3):
        if a:
            z = 1
        y = 2
        for x in range(2):
            w = x
    return list(locals()), [x for x in a]
r = f([]), f([1])
""",
    "else with loops": """
def f(n):
    s = 0
    for i in range(n):
        if i == 5:
            break
    else:
        for j in range(n):
            s += j
    return s
r = f(3), f(8)
""",
    "lists change under the loop": """
a = [3, 1, 2]
for x in a:
    if len(a) < 8:
        a.append(x + 1)
""",
    "swap of names": """
def f(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
r = [f(n) for n in range(9)]
""",
    "raise in else": """
def f(n):
    for i in range(n):
        if i > 4:
            break
    else:
        raise ValueError(i)
    return i
r = f(9)
f(3)
""",
    "try finally around a native return": """
log = []
def f(n):
    try:
        for i in range(n):
            if i == 3:
                return i
    finally:
        log.append(n)
r = f(2), f(6)
""",
    "async function": """
async def f(n):
    s = 0
    for i in range(n):
        s += i
    return s
c = f(4)
try:
    c.send(None)
except StopIteration as e:
    r = e.value
del c, f
""",
    "three deep with break": """
def f(n):
    c = 0
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            for k in range(n):
                if k == j:
                    continue
                c += k
        else:
            c += 1000
    return c, i, j, k
r = f(5)
""",
    "while nested in for": """
def f(n):
    out = []
    for i in range(1, n):
        k = i
        while k % 2 == 0:
            k //= 2
        else:
            out.append(k)
    return out
r = f(12)
""",
    "deep error under nesting": """
def f(a):
    t = 0
    for i in range(3):
        for j in range(3):
            t += a[i][j]
    return t
f([[1, 2, 3], [4, 5], [6]])
""",
}
