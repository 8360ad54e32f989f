"""Where names and attributes come from: properties, descriptors, __getattr__ of classes and modules, odd namespaces.

User code that a lookup runs is run exactly as often, and when, CPython runs it.
"""

import builtins
import math
import sys
import types

import numpy as np
from showing import attempt, show

log = []


def logged():
    """What user code was run since the last time, in short."""
    told = [(name, log.count(name)) for name in sorted(set(log))]
    log.clear()
    return told


def by_attribute(o, a):
    s = 0
    for i in range(len(a)):  # native
        s += a[i] * o.k
    return s


def by_two(o, a):
    for i in range(o.n):  # native
        a[i] += o.inner.k
    return a


def assigned(o, n):
    for i in range(n):  # native
        o.total += i
    return o.total


def by_method(o, a):
    s = 0
    for x in a:  # native
        s += o.f(x)
    return s


class Plain:
    def __init__(self):
        self.k, self.n, self.total, self.inner = 2, 3, 0, self

    def f(self, x):
        return x + self.k


class Property(Plain):
    @property
    def k(self):
        log.append("property k")
        return 3

    @k.setter
    def k(self, value):
        log.append("set k")


class Getattr:
    def __getattr__(self, name):
        log.append("getattr " + name)
        if name == "f":
            return lambda x: x * 2
        if name == "inner":
            return self
        return 3


class Getattribute(Plain):
    def __getattribute__(self, name):
        if not name.startswith("__"):
            log.append("getattribute " + name)
        return object.__getattribute__(self, name)


class Setattr(Plain):
    def __setattr__(self, name, value):
        log.append("setattr " + name)
        object.__setattr__(self, name, value)


class Descriptor:
    def __get__(self, instance, owner):
        log.append("descriptor")
        return 5


class NonData(Plain):
    k = Descriptor()

    def __init__(self):
        self.n, self.total, self.inner = 3, 0, self


class Slots:
    __slots__ = ("k", "n", "total", "inner")

    def __init__(self):
        self.k, self.n, self.total, self.inner = 2, 3, 0, self

    def f(self, x):
        return x - self.k


class Unset(Slots):
    def __init__(self):
        self.n = 3


class Meta(type):
    @property
    def k(cls):
        log.append("metaclass k")
        return 7


class WithMeta(metaclass=Meta):
    n, total = 3, 0
    f = staticmethod(lambda x: x + 1)


class ClassValue:
    k, n, total = 4, 2, 0

    @classmethod
    def f(cls, x):
        return x * cls.k


ClassValue.inner = ClassValue
WithMeta.inner = ClassValue

for make in (Plain, Property, Getattr, Getattribute, Setattr, NonData, Slots, Unset,
             lambda: WithMeta, ClassValue, lambda: ClassValue):  # fmt: skip
    o = make()
    logged()
    for function, argument in (
        (by_attribute, [1, 2]),
        (by_two, [1, 2, 3]),
        (assigned, 3),
        (by_method, [1, 2]),
    ):
        for _ in range(2):
            attempt(function, o, argument)
            print("   ", logged())
    attempt(by_attribute, o, np.arange(3))
    attempt(by_attribute, o, [])
    print("   ", logged())

# The same instance, another class; a class that gets a property, a __getattr__, a base, between calls.
o = Plain()
show("plain", by_attribute(o, [1]), by_method(o, [1]), assigned(o, 3))
o.__class__ = Property
show("class", by_attribute(o, [1]), logged())
o.__class__ = Plain
Plain.k = property(lambda self: log.append("late property") or 10)
show("property", by_attribute(o, [1, 2]), by_method(o, [1]), logged())
del Plain.k
show("deleted", by_attribute(o, [1, 2]), logged())
Plain.__getattribute__ = lambda self, name: log.append(name) or object.__getattribute__(self, name)
show("getattribute", by_attribute(o, [1, 2]), assigned(o, 2), logged())
del Plain.__getattribute__
Plain.__setattr__ = lambda self, name, value: (
    log.append("late set") or object.__setattr__(self, name, value + 1)
)
show("setattr", assigned(o, 2), logged())
del Plain.__setattr__
show("deleted", assigned(o, 2), by_method(o, [1]), logged())
o.f = lambda x: x * 1000
show("instance", by_method(o, [1, 2]))
del o.f
Plain.f = staticmethod(lambda x: -x)
show("static", by_method(o, [1, 2]))
Plain.f = types.MethodType(lambda self, x: (log.append(type(self).__name__), x)[1], 5)
show("bound", by_method(o, [1, 2]), logged())
del o.__dict__["k"]
attempt(by_attribute, o, [1])
o.__dict__ = {"k": 6, "n": 1, "total": 0.5, "inner": Slots()}
show("dict", by_attribute(o, [1]), by_two(o, [1]), assigned(o, 2))

# Modules: a module's own __getattr__, a subclass of module, an attribute that is deleted.
lazy = types.ModuleType("lazy")
exec("def __getattr__(name):\n    log.append(name)\n    return 11", {"log": log}, lazy.__dict__)
attempt(by_attribute, lazy, [1, 2])
print("   ", logged())
lazy.k = 2
attempt(by_attribute, lazy, [1, 2])
del lazy.k
attempt(by_attribute, lazy, [1, 2])
print("   ", logged())


class Module(types.ModuleType):
    @property
    def k(self):
        log.append("module property")
        return 13


attempt(by_attribute, Module("odd"), [1, 2])
print("   ", logged())


def by_module(a):
    s = 0.0
    for x in a:  # native
        s += math.sqrt(x)
    return s


show("math", by_module([4.0]))
kept, math = math, Module("math")
math.sqrt = lambda x: log.append("sqrt") or -x
show("math", by_module([4.0, 9.0]), logged())
math = types.SimpleNamespace(sqrt=lambda x: 1)
show("math", by_module([4.0, 9.0]))
math = kept
sys.modules["math"] = Module("math")
show("math", by_module([4.0, 9.0]))
sys.modules["math"] = math

# Namespaces that are not plain dictionaries.
TEXT = """
s = 0
for x in a:
    s += abs(x) * factor
result = s
"""


class Logging(dict):
    def __getitem__(self, name):
        log.append("get " + name)
        return dict.__getitem__(self, name)

    def __missing__(self, name):
        log.append("missing " + name)
        if name == "factor":
            return 3
        raise KeyError(name)


space = Logging(a=[1, -2])
exec(TEXT, {"factor": 2}, space)
show("locals", space["result"], logged())
space = Logging(a=[1, -2], factor=5)
exec(TEXT, space)
show("globals", dict.__getitem__(space, "result"), logged())
for names in ({}, {"abs": lambda x: 100}, {"__import__": builtins.__import__}):
    try:
        space = {"a": [1, -2], "factor": 2, "__builtins__": names}
        exec(TEXT, space)
        show("builtins", space["result"])
    except NameError as error:
        print("NameError", error)


class Body(metaclass=type("M", (type,), {"__prepare__": classmethod(lambda *_: Logging(n=4))})):
    s = 0
    for i in (1, 2, 3):
        s += i * n  # noqa: F821


show("class body", Body.s, Body.i, logged())


# Iterables and indices whose methods are the user's.
class Index:
    def __index__(self):
        log.append("index")
        return 1


class Sized(list):
    def __len__(self):
        log.append("len")
        return 2


class Number(int):
    def __add__(self, other):
        log.append("add")
        return 1000

    __radd__ = __add__


class Truth:
    def __bool__(self):
        log.append("bool")
        return len(log) < 3


def item(a, i, n):
    s = 0
    for _ in range(n):  # native
        s += a[i]
    return s


def lengths(a):
    s = 0
    for i in range(len(a)):  # native
        s += a[i]
    return s


def truths(t):
    n = 0
    while t:  # native
        n += 1
        if n == 7:
            break
    return n


show(
    "index", item([1, 2], 1, 2), item([1, 2], Index(), 2), item(np.arange(3), Index(), 2), logged()
)
show("len", lengths([5, 6, 7]), lengths(Sized([5, 6, 7])), logged())
show("add", lengths([Number(1), Number(2)]), logged())
show("bool", truths(True), truths(Truth()), truths([]), truths([1]), logged())
for n in (3, Index(), Number(2), True, np.int8(2), 2.0, "2"):
    attempt(item, [1, 2], 0, n)
print(logged())
