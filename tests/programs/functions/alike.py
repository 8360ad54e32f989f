"""Calls of one loop that look alike: what was found out for one must not be taken for true of the next."""

import builtins
import math
import sys
import warnings

import numpy as np
from showing import attempt, show


def scaled(a, b, x, n):
    for i in range(n):  # native
        b[i] = a[i] * x + 1.0


def settle(function, *arguments):
    """Often enough for a call to be known."""
    for _ in range(6):
        function(*arguments)


def fresh(n=8, dtype=float):
    return np.arange(n).astype(dtype), np.zeros(n, dtype)


a, b = fresh()
settle(scaled, a, b, 2.0, 8)
show("settled", b)
scaled(a, b, 3.5, 8)
show("another float", b)
scaled(a, b, math.nan, 8)
show("a nan", b)
scaled(a, b, np.float32(0.1), 8)
show("another kind of number", b)
scaled(a, b, 2, 8)
show("an int", b)
scaled(a, b, 2.0, 5)
show("fewer", b)
scaled(a, b, 2.0, 0)
show("none", b)
show("too many", attempt(scaled, a, b, 2.0, 9), b)

c, d = fresh(16)
scaled(c, d, 2.0, 8)
show("longer", d)
scaled(c[::2], d[::-2], 2.0, 8)
show("strides", d)
settle(scaled, c[::2], d[::2], 2.0, 8)
show("settled strides", d)
c, d = fresh(8, np.float32)
scaled(c, d, 2.0, 8)
show("another dtype", d)
scaled(list(map(float, a)), b, 2.0, 8)
show("a list", b)
scaled(a, d, 2.0, 8)
show("another dtype to write", d)

# The same arrays, but one on top of the other.
memory = np.arange(12.0)
settle(scaled, memory[:4], memory[8:], 2.0, 4)
scaled(memory[:4], memory[1:5], 2.0, 4)
show("overlapping", memory)
settle(scaled, memory[:4], memory[1:5], 0.5, 4)
show("settled overlapping", memory)
scaled(memory[:4], memory[8:], 2.0, 4)
show("apart again", memory)

a, b = fresh()
settle(scaled, a, b, 2.0, 8)
b.flags.writeable = False
show("read-only", attempt(scaled, a, b, 3.0, 8), b)
b.flags.writeable = True
scaled(a, b, 3.0, 8)
show("writable", b)
swapped = b.astype(">f8")
scaled(a, swapped, 4.0, 8)
show("swapped bytes", swapped)
b.resize(4, refcheck=False)
show("resized", attempt(scaled, a, b, 5.0, 8), b)

# What NumPy warns of, and what it is told to do about that.
a, b = fresh()
settle(scaled, a, b, 2.0, 8)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    scaled(a, b, 1e308, 8)
show("overflow", b, [str(w.message) for w in caught])
with np.errstate(over="raise"):
    show("raise", attempt(scaled, a, b, 1e308, 8), b)
with np.errstate(all="ignore"):
    settle(scaled, a, b, 1e308, 8)
show("ignored", b)
scaled(a, b, 2.0, 8)
show("as it was", b)

# Names are looked up each time.
range_ = builtins.range
builtins.range = lambda n: range_(n - 1)
scaled(a, b, 7.0, 8)
builtins.range = range_
show("another range", b)
range = lambda n: range_(1, n)  # noqa: E731
scaled(a, b, 8.0, 8)
del range
show("a global range", b)
scaled(a, b, 9.0, 8)
show("the real range", b)

lines = []


def trace(frame, event, argument):
    lines.append(event)
    return trace


sys.settrace(trace)
scaled(a, b, 10.0, 8)
sys.settrace(None)
show("traced", lines.count("line"), b)


# Live-outs, breaks, returns, else.
def first_above(a, limit):
    for i in range(len(a)):  # native
        if a[i] > limit:
            break
    else:
        i = -1
    return i


def found(a, limit):
    for i in range(len(a)):  # native
        if a[i] > limit:
            return i, a[i]
    return None


def last(a, k):
    for i in range(k):  # native
        y = a[i] * 2.0
    return i, y


a = np.arange(10.0)
for limit in (3.0, 3.0, 3.0, 5.5, 100.0, 3.0, -1.0, 8.0):
    show(limit, first_above(a, limit), found(a, limit))
for k in (3, 3, 3, 3, 0, 3, 10, 3, 11, 3):
    show(k, attempt(last, a, k))


# Python's ints: values decide, and some no longer fit.
def powers(n, x):
    y = 1
    for _ in range(n):  # native
        y *= x
    return y


for n, x in ((5, 3), (5, 3), (5, 3), (5, 4), (60, 3), (5, 3), (0, 3), (5, 2**70), (5, True)):
    show(n, x, powers(n, x))


# Attributes: another object of the class, of another class, and one whose array was exchanged.
class Cells:
    def __init__(self, n):
        self.n = n
        self.data = np.arange(float(n))
        self.total = 0.0

    def add(self):
        for i in range(self.n):  # native
            self.total += self.data[i]
        return self.total


class Loud(Cells):
    def __setattr__(self, name, value):
        if name == "total":
            print("set", name)
        object.__setattr__(self, name, value)


one, two = Cells(6), Cells(6)
settle(one.add)
show(one.add(), two.add())
two.data = np.ones(6)
show(two.add())
two.n = 3
show(two.add())
two.data = [1.0, 2.0, 3.0]
show(two.add())
show(Loud(2).add())
Cells.total = property(lambda self: 1.0)
show(attempt(one.add))


# A destructor that comes by the same loop while a value is assigned.
class Nosy:
    def __del__(self):
        show("gone", last(a, 2))


def replaced(a, k):
    y = Nosy()
    for i in range(k):  # native
        y = a[i]
    return y, i


for _ in range_(6):
    show(replaced(a, 4))


# A loop that nothing is done for, again and again, then more.
def summed(a, n):
    s = 0.0
    for i in range(n):  # native
        s += a[i]
    return s


show([summed(a, 0) for _ in range_(5)], [summed(a, n) for n in range_(10)])
