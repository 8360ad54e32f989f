"""Kinds of classes: dataclass, slots, inheritance, namedtuple, enum, instances as arguments."""

import enum
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np
from showing import attempt, show

Point = namedtuple("Point", "x y")


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


@dataclass
class State:
    n: int
    scale: float = 0.5
    data: list = field(default_factory=list)
    total: float = 0.0

    def run(self):
        for i in range(self.n):  # native
            self.total += self.data[i] * self.scale
        return self.total


@dataclass(slots=True)
class Packed:
    a: np.ndarray
    best: float = -1.0
    where: int = -1

    def search(self):
        for i in range(len(self.a)):  # native
            if self.a[i] > self.best:
                self.best = self.a[i]
                self.where = i
        return self.best, self.where


@dataclass(frozen=True)
class Frozen:
    n: int
    step: int

    def run(self):
        s = 0
        for i in range(0, self.n, self.step):  # native
            s += i
        return s

    def write(self):
        for i in range(3):
            self.n = i


class Base:
    factor = 2

    def __init__(self, a):
        self.a = a
        self.sum = 0

    def run(self):
        for x in self.a:  # native
            self.sum += x * self.factor
        return self.sum


class Derived(Base):
    factor = 5

    def run(self):
        before = super().run()
        for i in range(len(self.a)):  # native
            self.sum -= self.a[i]
        return before, self.sum


class Counted:
    count = 0

    def run(self, n):
        for i in range(n):  # native
            self.count += i
        return self.count, Counted.count


class Classwide:
    total = 0

    @classmethod
    def run(cls, a):
        for x in a:
            cls.total += x
        return cls.total


class Descriptor:
    def __get__(self, instance, owner):
        return 7

    def __set__(self, instance, value):
        instance.log.append(value)


class Described:
    n = Descriptor()

    def __init__(self):
        self.log = []

    def run(self):
        s = 0
        for i in range(3):  # cpython
            s += self.n
            self.n = i
        return s, self.log


class Callable:
    def __init__(self, k):
        self.k = k

    def __call__(self, a):
        s = 0
        for x in a:  # native
            s += x * self.k
        return s


def argument(state, n):
    for i in range(n):  # native
        state.total += state.scale * i
    return state.total


def two_states(p, q):
    for i in range(p.n):
        p.total += q.scale
        q.total -= p.scale
    return p.total, q.total


def tuples_of_points(points):
    s = 0.0
    for p in points:
        s += p.x * p.y
    return s


def enumerations(a, level):
    s = 0
    for x in a:
        if x > level:
            s += level * x
    return s


def function_attribute(a):
    for x in a:
        function_attribute.total += x
    return function_attribute.total


def attribute_of_element(objects):
    s = 0
    for o in objects:
        s += o.n
    return s


def removed_while_running(state):
    del state.total
    for i in range(3):
        state.total += 1


s = State(4, 0.25, [1, 2, 3, 4])
show("dataclass", s.run(), s.run(), argument(s, 5), s)
show("packed", *Packed(np.array([3.0, 9.0, 4.0])).search(), *Packed(np.array([-5.0])).search())
show("frozen", Frozen(10, 3).run())
attempt(Frozen(1, 1).write)
show("base", Base([1, 2]).run(), *Derived([1, 2]).run(), *Derived(np.arange(4)).run())
c = Counted()
show("counted", *c.run(5), *c.run(3), c.__dict__)
show("classwide", Classwide.run([1, 2]), Classwide.run(np.arange(3)))
show("described", *Described().run())
show("callable", Callable(3)([1, 2]), Callable(0.5)(np.arange(4)))
show("two", *two_states(State(3), State(4)))
show("one", *two_states(s, s))
show("points", tuples_of_points([Point(1, 2), Point(0.5, 4)]), enumerations([1, 2, 5], Level.HIGH))
function_attribute.total = 0
show("function", function_attribute([1, 2]), function_attribute.total)
show("elements", attribute_of_element([State(3), State(4)]))
attempt(removed_while_running, State(1))
