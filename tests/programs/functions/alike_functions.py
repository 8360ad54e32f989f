"""Calls of one loop that look alike, with functions and methods that it calls: what they see may have changed."""

import sys
import types
import weakref

import numpy as np
from showing import attempt, show

FACTOR = 3


def times(x):
    return x * FACTOR


def plus(x, k=1, *, j=0):
    return times(x) + k + j


def total(f, n):
    s = 0
    for i in range(n):  # native
        s += f(i)
    return s


def settle(function, *arguments):
    """Often enough for a call to be known."""
    for _ in range(6):
        function(*arguments)


def closed(k):
    def added(x):
        return x + k

    def change(new):
        nonlocal k
        k = new

    return added, change


settle(total, plus, 9)
show("settled", total(plus, 9))
FACTOR = 5
show("a global of a called function", total(plus, 9))
FACTOR = 0.5
show("of another type", total(plus, 9))
FACTOR = 1 << 70
show("too large", total(plus, 9))
FACTOR = 3
settle(total, plus, 9)
plus.__defaults__ = (10,)
show("a default", total(plus, 9))
plus.__kwdefaults__ = {"j": 20}
show("a default by name", total(plus, 9))
settle(total, plus, 9)
plus.__kwdefaults__["j"] = 30
show("in place", total(plus, 9))
settle(total, plus, 9)
old = times
times = lambda x: -x  # noqa: E731
show("a called function is another", total(plus, 9))
times = old
settle(total, plus, 9)
times.__code__ = (lambda x: x * x).__code__
show("with other code", total(plus, 9))
times = abs
show("a builtin", total(plus, 9))
del times
show("gone", attempt(total, plus, 9))
times = old

added, change = closed(4)
settle(total, added, 9)
show("closed over", total(added, 9))
change(40)
show("changed", total(added, 9))
change(2.5)
show("of another type", total(added, 9))
show("another function of that code", total(closed(7)[0], 9))
settle(total, added, 9)
show("functions in turn", [total(f, 9) for f in (added, plus, added, times, plus)])


class Scale:
    def __init__(self, k):
        self.k = k
        self.seen = 0

    def of(self, x):
        return x * self.k

    def counted(self, x):
        self.seen += 1
        return x + self.seen


class Half(Scale):
    def of(self, x):
        return x * self.k // 2


def by_method(one, n):
    s = 0
    for i in range(n):  # native
        s += one.of(i)
    return s


def counting(one, n):
    s = 0
    for i in range(n):  # native
        s += one.counted(i)
    return s, one.seen


one, two = Scale(2), Scale(3)
settle(by_method, one, 9)
show("a method", by_method(one, 9), by_method(two, 9), by_method(Half(5), 9))
one.k = 11
show("its attribute", by_method(one, 9))
one.k = 1.25
show("of another type", by_method(one, 9))
del one.k
show("none", attempt(by_method, one, 9))
one.k = 2
settle(by_method, one, 9)
one.of = lambda x: x - 1
show("an attribute before it", by_method(one, 9))
del one.of
show("the method again", by_method(one, 9))
one.__class__ = Half
show("another class", by_method(one, 9))
one.__class__ = Scale
settle(by_method, one, 9)
method = Scale.of
Scale.of = lambda self, x: x + 100
show("another method of the class", by_method(one, 9), by_method(two, 9))
Scale.of = method
settle(by_method, one, 9)
Scale.k = property(lambda self: 77, lambda self, new: None)
show("a property", by_method(one, 9))
del Scale.k
show("the attribute again", by_method(one, 9))
one.of = types.MethodType(Scale.of, two)
show("bound to another", by_method(one, 9))
del one.of
show("a bound method as a value", total(one.of, 9), total(two.of, 9), total(Half(9).of, 9))
settle(total, one.of, 9)
show("settled", total(one.of, 9), total(two.of, 9))

show("counting", [counting(one, 5) for _ in range(6)], [counting(two, 5) for _ in range(3)])
same = types.SimpleNamespace(counted=one.counted, seen=0)
show("an alias", attempt(counting, same, 5), one.seen, same.seen)


def filled(cells, f, n):
    for i in range(n):  # native
        cells[i] = f(cells[i])
    return cells


cells = np.arange(9.0)
settle(filled, cells, added, 9)
show("an array", filled(cells, added, 9), filled(cells, plus, 9), attempt(filled, cells, plus, 10))

# What is bound is let go of when the call ends.
counts = lambda: [sys.getrefcount(x) for x in (plus, one, two, added, Scale.of, cells)]  # noqa: E731
before = counts()
for _ in range(9):
    total(plus, 9), by_method(one, 9), by_method(two, 9), filled(cells, added, 9), total(two.of, 9)
show("references", [b - a for a, b in zip(before, counts(), strict=True)])
gone = []
short = Scale(4)
weakref.finalize(short, gone.append, "object")
settle(by_method, short, 9)
settle(total, short.of, 9)
del short
show("an object is gone", gone)
brief = closed(6)[0]
weakref.finalize(brief, gone.append, "function")
settle(total, brief, 9)
del brief
show("a function is gone", gone)
