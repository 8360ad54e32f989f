"""Methods: attribute accumulators, array and list attributes, slots, properties that stay."""

import math

import numpy as np
from showing import attempt, show


class Body:
    def __init__(self, n):
        self.n = n
        self.x = np.linspace(-1.0, 1.0, n)
        self.v = np.zeros(n)
        self.total = 0.0
        self.count = 0
        self.history = [0.0] * n
        self.grid = np.zeros((n, n))
        self.params = Params(0.1, 3)

    def accumulate(self):
        for i in range(self.n):  # native
            self.total += self.x[i] * self.x[i]
            self.count += 1

    def step(self, dt):
        for i in range(self.n):  # native
            force = 0.0
            for j in range(self.n):
                if i != j:
                    d = self.x[j] - self.x[i]
                    force += d / (abs(d) + self.params.soft)
            self.v[i] += dt * force
            self.history[i] = float(force)
        for i in range(self.n):  # native
            self.x[i] += dt * self.v[i]

    def fill(self):
        for i in range(len(self.grid)):
            for j in range(self.grid.shape[1]):
                self.grid[i, j] = self.weight(i, j)
                self.grid[i][j] += self.params.power

    def weight(self, i, j):
        return self.x[i] * j - self.x[j] * i

    def last(self):
        for i in range(self.n):  # native
            self.where = i
            self.value = self.x[i]

    def extremes(self):
        self.low = self.high = self.x[0]
        for value in self.x:  # native
            if value < self.low:
                self.low = value
            if value > self.high:
                self.high = value

    def until(self, limit):
        while self.total < limit:  # native
            self.total += 0.125
            self.count -= 1

    @staticmethod
    def half(x):
        return x / 2

    def halves(self):
        s = 0.0
        for x in self.x:
            s += self.half(x) + Body.half(x)
        return s


class Params:
    def __init__(self, soft, power):
        self.soft = soft
        self.power = power


class Slotted:
    __slots__ = ("a", "s")

    def __init__(self):
        self.a = [1, 2, 3]
        self.s = 0

    def run(self):
        for x in self.a:  # native
            self.s += x
        return self.s


class ClassAttribute:
    scale = 3
    table = [1, 2, 4]

    def run(self, n):
        s = 0
        for i in range(n):  # native
            s += self.scale * self.table[i % 3]
        return s


class WithProperty:
    def __init__(self):
        self.reads = 0

    @property
    def n(self):
        self.reads += 1
        return 3

    def run(self):
        s = 0
        for i in range(4):  # cpython
            s += self.n * i
        return s, self.reads


class WithSetter:
    def __init__(self):
        self.log = []

    def __setattr__(self, name, value):
        if name != "log":
            self.log.append((name, value))
        super().__setattr__(name, value)

    def run(self):
        self.total = 0
        for i in range(4):  # cpython
            self.total += i
        return self.log


class Dynamic:
    def __getattr__(self, name):
        if name == "n":
            return 5
        raise AttributeError(name)

    def run(self):
        s = 0
        for i in range(3):  # cpython
            s += self.n
        return s


class Missing:
    def run(self):
        for i in range(3):
            self.total += i


class Private:
    def __init__(self):
        self.__total = 0

    def run(self, a):
        for x in a:  # native
            self.__total += x
        return self.__total


def two_objects(p, q):
    for i in range(5):
        p.power += i
        q.power += 10
    return p.power, q.power


class Nested:
    def __init__(self):
        self.inner = Params(1.0, 2)

    def run(self, a):
        for x in a:  # native
            self.inner.soft += x * self.inner.power
        return self.inner.soft


b = Body(13)
b.accumulate()
show("accumulate", b.total, b.count)
b.count = np.int32(5)
b.total = 7
b.accumulate()
show("accumulate", b.total, b.count)
for _ in range(3):  # native
    b.step(0.01)
b.step(0.02)
show("step", b.x, b.v, b.history)
b.fill()
show("fill", b.grid)
b.last()
show("last", b.where, b.value)
b.extremes()
show("extremes", b.low, b.high)
b.until(40.0)
show("until", b.total, b.count, b.halves())
s = Slotted()
show("slotted", s.run(), s.s)
show("class attribute", ClassAttribute().run(20))
c = ClassAttribute()
c.scale = 0.5
show("class attribute", c.run(20))
show("property", *WithProperty().run())
show("setter", WithSetter().run())
show("dynamic", Dynamic().run())
attempt(Missing().run)
p = Private()
show("private", p.run([1, 2, 3]), p.run(np.arange(4)), p.__dict__)
show("two objects", *two_objects(Params(0, 1), Params(0, 2)))
one = Params(0, 1)
show("two objects", *two_objects(one, one))
show("nested", Nested().run([1.0, 2.0]), Nested().run(np.arange(4)))
show("math", math.pi)
