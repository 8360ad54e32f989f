"""Objects that are not plain arrays, lists and numbers stay CPython's, with the same answer."""

import decimal
import fractions

import numpy as np
from showing import attempt, show


def total(a):
    s = 0
    for x in a:
        s = s + x
    return s


def elements(a, n):
    s = 0
    for i in range(n):
        s = s + a[i]
    return s


def store(a, n):
    for i in range(n):
        a[i] = a[i] + 1
    return a


def count_to(n):
    s = 0
    for i in range(n):
        s += i
    return s


class MyList(list):
    reads = 0

    def __getitem__(self, i):
        MyList.reads += 1
        return super().__getitem__(i) * 10


class MyInt(int):
    def __add__(self, other):
        return 1000

    __radd__ = __add__


class MyFloat(float):
    def __mul__(self, other):
        return "product"


class MyArray(np.ndarray):
    def __getitem__(self, i):
        return np.ndarray.__getitem__(self, i) + 100


class Indexable:
    def __index__(self):
        print("index asked")
        return 4


class Sized:
    def __len__(self):
        print("length asked")
        return 3

    def __getitem__(self, i):
        if i > 2:
            raise IndexError(i)
        return i * i


class Truthy:
    def __init__(self):
        self.asked = 0

    def __bool__(self):
        self.asked += 1
        return self.asked < 4


class Iterable:
    def __iter__(self):
        print("iterated")
        return iter([1, 2, 3])


def while_object(flag):
    n = 0
    while flag:
        n += 1
    return n, flag.asked


def scaled(a, k):
    s = []
    for i in range(3):
        s.append(a[i] * k)
    return s


def scale_sum(a, k):
    s = 0
    for i in range(3):
        s = s + a[i] * k
    return s


def length_loop(x):
    s = 0
    for i in range(len(x)):
        s += x[i]
    return s


l = [1, 2, 3, 4]
a = np.arange(4.0)
show(
    "MyList",
    total(MyList(l)),
    elements(MyList(l), 3),
    type(store(MyList(l), 4)).__name__,
    MyList.reads,
)
show("MyInt", total([MyInt(1), 2]), total([1, MyInt(2)]), count_to(MyInt(4)), elements(l, MyInt(3)))
show("MyFloat", scaled([1.0, 2.0, 3.0], MyFloat(2)), scaled([MyFloat(1)] * 3, 2))
show("MyArray", total(a.view(MyArray)), elements(a.view(MyArray), 3))
show("bool", elements(l, True), count_to(True))
show("Indexable", count_to(Indexable()), elements(l, Indexable()))
show("Sized", length_loop(Sized()), total(Sized()), total(Iterable()))
show("while", *while_object(Truthy()))
show(
    "matrix",
    total(np.matrix([[1.0, 2.0]])).tolist(),
    elements(np.ma.array([1, 2, 3], mask=[0, 1, 0]), 1),
)
show(
    "object",
    total(np.array([1, 2.5, 2**70], dtype=object)),
    store(np.array([1, 2**70], dtype=object), 2),
)
show("swapped", total(np.arange(4, dtype=">f8")), store(np.arange(3, dtype=">i4"), 3))
show("half", total(np.arange(4, dtype=np.float16)), store(np.arange(3, dtype=np.float16), 3))
show("long", str(total(np.arange(4, dtype=np.longdouble))), total(np.arange(3, dtype=np.complex64)))
raw = np.zeros(33, dtype=np.uint8)
unaligned = raw[1:].view(np.float64)
show("unaligned", store(unaligned, 4), total(unaligned), raw.tolist())
record = np.zeros(3, dtype=[("x", float), ("n", np.int32)])
show("field", store(record["x"], 3), store(record["n"], 3), record.tolist())
frozen = np.arange(3)
frozen.flags.writeable = False
attempt(store, frozen, 3)
show("frozen", elements(frozen, 3), frozen)
attempt(store, np.broadcast_to(np.zeros(1), 3), 3)
show(
    "decimal", str(total([decimal.Decimal("0.1")] * 3)), str(total([fractions.Fraction(1, 3)] * 3))
)
show("set", total({1, 2, 3}), total(frozenset([4])), total({5: "x"}), total({5: 6}.values()))
show("dict", elements({0: 1.5, 1: 2}, 2), store({0: 1, 1: 2}, 2))
show("iterator", total(iter(l)), total(map(abs, [-1, -2])), total(filter(None, [0, 3])))
show(
    "generator",
    total(x * x for x in l),
    total(reversed(l)),
    total(range(5)),
    total(range(2**70, 2**70 + 2)),
)
show(
    "zero dim",
    elements([np.array(2.5), 1], 2),
    scale_sum(l, np.array(3)),
    scale_sum(a, np.array(3)),
)
show("scale", scale_sum(l, 2**70), scale_sum(l, 1j))
show("scale", scale_sum(l, fractions.Fraction(1, 2)))
show(
    "scalars",
    scale_sum([np.float32(0.5)] * 3, 2),
    scale_sum([np.int8(5)] * 3, 2),
    elements([np.True_, 2], 2),
)
show("strings", *scaled("abc", 2), *scaled(["x", "y", "z"], 2))
show(
    "datetime",
    str(elements(np.array(["2020-01-01"], dtype="M8[D]") - np.datetime64("2019-01-01"), 1)),
)
attempt(total, 5)
attempt(total, [1, "x"])
attempt(elements, None, 2)
attempt(store, (1, 2), 2)
attempt(store, "ab", 2)
attempt(scale_sum, l, None)
