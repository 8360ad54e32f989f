"""Statements around and inside loops that change what the loop works on."""

import numpy as np
from showing import attempt, show


class Index:
    def __init__(self, k):
        self.k = k

    def __index__(self):
        print("index", self.k)
        return self.k


class Loud:
    @property
    def n(self):
        print("n read")
        return 4

    def __getattr__(self, name):
        print("missing", name)
        return 3


class Slots:
    __slots__ = ("a", "n", "total")

    def __init__(self, n):
        self.n = n
        self.a = [0.0] * n
        self.total = 0

    def run(self):
        for i in range(self.n):
            self.a[i] = i * 0.5
            self.total += i
        return self.a, self.total


def growing(a):
    for x in a:
        if len(a) < 12:
            a.append(x * 2)
    return a


def shrinking(a):
    for i in range(len(a)):
        if i == 3:
            del a[4:]
        a[i] = a[i] + 1
    return a


def popped(a):
    s = 0
    while a:
        s += a.pop()
    return s


def deleted(n):
    x = 0
    for i in range(n):
        y = i
        x += y
        del y
    try:
        return y
    except UnboundLocalError as error:
        return str(error), x


def by_index(a):
    s = 0
    for i in range(Index(3)):
        s += a[Index(i)]
    return s


def properties(o, a):
    s = 0
    for i in range(o.n):
        s += a[i] * o.other
    return s


def float_index(a):
    for i in range(3):
        a[i * 1.0] = 0
    return a


def float_range(n):
    s = 0
    for i in range(n):
        s += i
    return s


def unbound(n):
    for i in range(n):
        s = i * 2
    return s, i


def conditionally(n, flag):
    for i in range(n):
        if flag:
            value = i
    return value


def generator(n):
    for i in range(n):
        s = 0
        for j in range(i):
            s += j * j
        yield s


def comprehension(n):
    return [sum(j for j in range(i)) for i in range(n)], {k: k * k for k in range(n)}


def closure(n):
    total = 0

    def add(k):
        nonlocal total
        for i in range(k):
            total += i

    for k in range(n):
        add(k)
    return total


def late_binding(n):
    functions = []
    for i in range(n):
        functions.append(lambda: i)
    return [f() for f in functions]


counter = 0


def global_counter(n):
    global counter
    for i in range(n):
        counter += i
    return counter


def recursive(n):
    s = 0
    for i in range(n):
        s += i
    return s + (recursive(n - 1) if n else 0)


def in_try(a, n):
    done = []
    for k in range(3):
        try:
            for i in range(n):
                a[i] = a[i] + 1
        except IndexError as error:
            done.append((k, str(error), i))
        else:
            done.append("fine")
        finally:
            done.append(i)
    return done, a


def with_else(a, x):
    for i in range(len(a)):
        if a[i] == x:
            break
    else:
        i = -1
    return i


def rebinding(n):
    range_ = range
    for i in range_(n):
        n = n + 1
        i = i * 10
    return i, n


def chained(a):
    n = 0
    for i in range(len(a) - 1):
        if 0 <= a[i] < a[i + 1] <= 10:
            n += 1
    return n


def walrus(a):
    n = 0
    for i in range(len(a)):
        if (y := a[i] * 2) > 4:
            n += y
    return n, y


def starred(a):
    s = 0
    for i, (x, y) in enumerate(zip(a, a[1:])):
        first, *rest = x, y, i
        s += first + len(rest)
    return s


def matched(a):
    n = 0
    for x in a:
        match x:
            case 1:
                n += 10
            case 2 | 3:
                n += 100
            case _:
                n += 1
    return n


def exits(n):
    for i in range(n):
        if i == 3:
            raise SystemExit(i)


def asserts(a):
    for i in range(len(a)):
        assert a[i] < 3, f"a[{i}] is {a[i]}"
        a[i] = 0
    return a


attempt(growing, [1, 2])
attempt(shrinking, [1, 2, 3, 4, 5, 6])
attempt(popped, [1, 2.5, 3])
attempt(deleted, 5)
attempt(by_index, [1, 2, 3])
attempt(by_index, np.arange(3))
attempt(properties, Loud(), [1, 2, 3, 4])
attempt(Slots(6).run)
attempt(float_index, [1, 2, 3])
attempt(float_index, np.arange(3))
attempt(float_range, 3.0)
attempt(float_range, "3")
attempt(float_range, True)
attempt(float_range, np.int64(4))
attempt(float_range, np.float64(4))
attempt(float_range, -5)
attempt(float_range, 10**20 - 10**20)
attempt(unbound, 3)
attempt(unbound, 0)
attempt(conditionally, 3, True)
attempt(conditionally, 3, False)
show("generator", list(generator(6)))
show("comprehension", *comprehension(5))
attempt(closure, 6)
attempt(late_binding, 3)
attempt(global_counter, 5)
attempt(global_counter, 5)
attempt(recursive, 6)
attempt(in_try, [1, 2, 3], 5)
attempt(in_try, np.zeros(3), 3)
attempt(with_else, [1, 2, 3], 3)
attempt(with_else, [1, 2, 3], 4)
attempt(rebinding, 4)
attempt(chained, [1, 5, 3, 7, 12])
attempt(walrus, [1, 2, 3])
attempt(starred, [1, 2, 3, 4])
attempt(matched, [1, 2, 3, 4, 1.0, True])
attempt(asserts, [1, 2, 5, 1])
try:
    exits(5)
except SystemExit as error:
    print("exit", error.code)
for k in range(4):
    if k == 2:
        del k
        break
print("k" in dir())
for name in range(3):
    globals()["made_%d" % name] = name
print(made_0, made_2)  # noqa: F821
i = 100
for i in range(0):
    pass
print(i)
for a, b in [(1, 2), (3, 4)]:
    i += a * b
print(i, a, b)
