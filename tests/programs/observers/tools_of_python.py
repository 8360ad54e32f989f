"""What looks at code from outside: inspect, doctest, unittest, pickle, copy, dis, pdb, cProfile, ast."""

import copy
import cProfile
import doctest
import functools
import inspect
import io
import pdb
import pickle
import pstats
import sys
import timeit
import types
import unittest
from dataclasses import dataclass, field


def total(a, *, start=0):
    """The sum of the squares.

    >>> total([1, 2, 3])
    14
    >>> total([1], start=3)
    4
    >>> total(["x"])
    Traceback (most recent call last):
    TypeError: can't multiply sequence by non-int of type 'str'
    """
    s = start
    for x in a:
        s += x * x
    return s


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    values: list = field(default_factory=list)

    def sum(self):
        s = self.x
        for v in self.values:
            s += v * self.y
        return s


@dataclass(slots=True)
class Counter:
    n: int = 0
    total: float = 0.0

    def add(self, a):
        for v in a:
            self.n += 1
            self.total += v
        return self


class Fixed:
    __slots__ = ("n",)

    def __init__(self, n):
        object.__setattr__(self, "n", n)

    def __setattr__(self, name, value):
        raise AttributeError(f"{name} is fixed")

    def run(self, a):
        for x in a:
            self.n += x


class Traced:
    def __init__(self):
        self.log = []

    def __setattr__(self, name, value):
        if name != "log":
            self.log.append((name, value))
        object.__setattr__(self, name, value)

    def run(self, n):
        self.k = 0
        for i in range(n):
            self.k += i
        return self.log


@functools.lru_cache
def cached(n):
    s = 0
    for i in range(n):
        s += i
    return s


@functools.wraps(total)
def wrapped(*a):
    return total(*a)


class Case(unittest.TestCase):
    def test_total(self):
        for k in range(3):
            with self.subTest(k=k):
                self.assertEqual(total([k]), k * k)

    def test_fails(self):
        s = 0
        for k in range(3):
            s += k
        self.assertEqual(s, 4)


print(inspect.getsource(total))
print(inspect.signature(total), total.__kwdefaults__, total.__code__.co_varnames)
print(total.__code__.co_name, total.__code__.co_firstlineno, total.__code__.co_argcount)
print(inspect.getsourcelines(Counter.add)[1], inspect.getdoc(wrapped)[:20])
print(total.__code__.co_names, total.__code__.co_freevars)
print(doctest.testmod(sys.modules["__main__"]))
print(pickle.loads(pickle.dumps(total)) is total, pickle.loads(pickle.dumps(Point(1.0, 2.0, [3]))))
print(copy.deepcopy(total) is total, copy.copy(Counter()).add([1.5, 2]))
print(Point(1.0, 2.0, [3, 4]).sum(), cached(10), cached.cache_info(), wrapped([2]))
try:
    Fixed(1).run([1, 2])
except AttributeError as error:
    print(error)
print(Traced().run(4))
same = types.FunctionType(total.__code__, {"__builtins__": __builtins__}, "same", None, None)
same.__kwdefaults__ = {"start": 10}
print(same([1, 2]))
again = total.__code__.replace(co_name="other")
print(again.co_name, types.FunctionType(again, globals(), "again", None, None)([2], start=1))
print(timeit.timeit(lambda: total([1, 2, 3]), number=3) >= 0)
stream = io.StringIO()
result = unittest.TextTestRunner(stream=stream).run(
    unittest.defaultTestLoader.loadTestsFromTestCase(Case)
)
print(len(result.failures), result.failures[0][1])
profile = cProfile.Profile()
profile.enable()
total([1, 2, 3])
profile.disable()
stats = pstats.Stats(profile, stream=io.StringIO())
print(sorted((name, calls) for (_, _, name), (_, calls, *_) in stats.stats.items()))
commands = io.StringIO("b total\nc\nn\nn\nn\np s, x\nn\np s\nr\nq\n")
output = io.StringIO()
debugger = pdb.Pdb(stdin=commands, stdout=output, nosigint=True, readrc=False)
debugger.use_rawinput = False
try:
    debugger.runcall(total, [1, 2, 3])
except Exception as error:
    print(type(error).__name__)
print(
    [line for line in output.getvalue().splitlines() if not line.startswith(("> ", "Breakpoint"))]
)


def scoped(a):
    total = 0
    for value in a:
        total += value
    before = dict(locals())
    exec("total = 100")
    return before, total, sorted(locals())


print(scoped([1, 2]))
namespace = {}
exec(compile("r = 0\nfor i in range(5):\n    r += i\n", "<text>", "exec"), namespace)
print(namespace["r"], namespace["i"])
exec("def g(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s", namespace)
print(namespace["g"](5), inspect.isfunction(namespace["g"]))
module = types.ModuleType("made")
exec("x = [i for i in range(3)]\nfor i in x:\n    y = i", module.__dict__)
print(module.y, sorted(n for n in vars(module) if not n.startswith("__")))
