"""Subscripts of objects whose class has methods for them."""

import pytest
from differential import difference, nests_by_line, nestwise, python

HEAD = """\
from array import array


class Grid:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.data = array("d", [0.0]) * (width * height)
        self.reads = 0

    def at(self, x, y):
        if 0 <= x < self.width and 0 <= y < self.height:
            return y * self.width + x
        raise IndexError((x, y))

    def __getitem__(self, x_y):
        x, y = x_y
        return self.data[self.at(x, y)]

    def __setitem__(self, x_y, value):
        x, y = x_y
        self.data[self.at(x, y)] = value


class Ring:
    def __init__(self, values):
        self.values = values
        self.reads = 0

    def __getitem__(self, k):
        self.reads += 1
        return self.values[k % len(self.values)]

    def __setitem__(self, k, value):
        self.values[k % len(self.values)] = value


def filled(n):
    grid = Grid(n, n)
    for y in range(n):
        for x in range(n):
            grid[x, y] = (x * 7 + y * 3) % 11 * 0.5
    return grid
"""

RELAX = """\
def relax(grid, omega, turns):
    for _ in range(turns):
        for y in range(1, grid.height - 1):
            for x in range(1, grid.width - 1):
                around = grid[x, y - 1] + grid[x, y + 1] + grid[x - 1, y] + grid[x + 1, y]
                grid[x, y] = omega * 0.25 * around + (1.0 - omega) * grid[x, y]

grid = filled(30)
relax(grid, 1.25, 40)
print([v.hex() for v in grid.data])
"""

CHANGED = """\
def smooth(ring, n):
    for k in range(n):
        ring[k] += 0.5 * ring[k + 1] - 0.125 * ring[k - 1]

ring = Ring([k * 0.25 for k in range(50)])
smooth(ring, 4000)
print([v.hex() for v in ring.values], ring.reads)
"""

# The same loop sees arrays, lists and objects.
OTHERS = """\
import numpy as np

def total(values, n):
    s = 0.0
    for k in range(n):
        s += values[k] * 0.5
    return s

numbers = [k * 0.1 for k in range(6000)]
for values in (numbers, Ring(numbers), np.array(numbers), Ring(np.array(numbers)), numbers):
    print(total(values, 6000).hex())
"""

IN_AN_ATTRIBUTE = """\
class Field:
    def __init__(self, n):
        self.grid = filled(n)
        self.old = filled(n)

    def step(self, c):
        for y in range(1, self.grid.height - 1):
            for x in range(1, self.grid.width - 1):
                new = self.grid[x, y] + c * (self.grid[x - 1, y] - self.grid[x + 1, y])
                self.old[x, y] = new

field = Field(40)
for turn in range(20):
    field.step(0.01)
    field.grid, field.old = field.old, field.grid
print([v.hex() for v in field.grid.data])
"""


def ran(text, tmp_path, native):
    """The answer is CPython's, in each way to run it; `native`: whether any nest runs so."""
    program = tmp_path / "special.py"
    program.write_text(HEAD + text)
    expected = python(program)
    for device in ("serial", "threads", "auto"):
        done = nestwise(program, device, tmp_path)
        assert not (found := difference(expected, done)), found
        nests = nests_by_line(done.report, program)
        first = len(HEAD.splitlines())
        nests = [n for line, found in nests.items() for n in found if line > first]
        launched = sum(n["launches"] for n in nests)
        assert native is None or device == "auto" or (launched > 0) == native, done.report
    return expected


@pytest.mark.parametrize("text", [RELAX, CHANGED, OTHERS, IN_AN_ATTRIBUTE])
def test_methods_for_subscripts_are_compiled(tmp_path, text):
    ran(text, tmp_path, native=True)


# Programs that show what a subscript of an object calls, and when.
STAYS = {
    # Not what the object has under that name.
    "own": """\
ring = Ring([1.0, 2.0, 3.0])
ring.__getitem__ = lambda k: 99.0
""",
    # The class is changed between calls.
    "patched": """\
def other(self, k):
    return -self.values[k % len(self.values)]
ring = Ring([1.0, 2.0, 3.0])
print(total(ring, 5000))
Ring.__getitem__ = other
""",
    "derived": """\
class Double(Ring):
    def __getitem__(self, k):
        return 2.0 * Ring.__getitem__(self, k)
print(total(Ring([1.0, 2.5]), 5000))
ring = Double([1.0, 2.5])
""",
    "out of range": """\
class Strict(Ring):
    def __getitem__(self, k):
        if k >= 4000:
            raise IndexError(k)
        return self.values[k % len(self.values)]
ring = Strict([1.0, 2.5])
try:
    total(ring, 5000)
except IndexError as e:
    print("IndexError", e, ring.reads)
""",
    "a list": """\
class Shifted(list):
    def __getitem__(self, k):
        return list.__getitem__(self, (k + 1) % len(self))
print(total([1.0, 2.0, 4.5] * 2000, 5000))
ring = Shifted([1.0, 2.0, 4.5])
""",
    "in C": """\
class Plain(dict):
    pass
ring = Plain((k, k * 0.5) for k in range(5000))
""",
    "by getattr": """\
class Any:
    def __init__(self, values):
        self.values = values
    def __getattr__(self, name):
        raise AttributeError(name)
    def __getitem__(self, k):
        return self.values[k % 3]
ring = Any([1.0, 2.0, 3.0])
""",
}


@pytest.mark.parametrize("what", STAYS.values(), ids=STAYS)
def test_subscripts_call_what_they_call_in_python(tmp_path, what):
    total = OTHERS[OTHERS.index("def total") : OTHERS.index("numbers")]
    end = "print(total(ring, 5000), total(ring, 5000))\n"
    ran(total + what + ("" if "try" in what else end), tmp_path, native=None)


# The value is looked at before the subscript.
ORDER = """\
class Walk:
    def __init__(self):
        self.k = 0
    def step(self):
        self.k += 1
        return self.k

def mark(ring, walk, n):
    for _ in range(n):
        ring[walk.k] = float(walk.step())

ring, walk = Ring([0.0] * 7), Walk()
mark(ring, walk, 4000)
print(ring.values, walk.k)
"""


def test_the_value_comes_first(tmp_path):
    ran(ORDER, tmp_path, native=None)


# Objects that are called.
CALLS = """\
class Power:
    def __init__(self, a, b):
        self.a, self.b, self.count = a, b, 0

    def __call__(self, x, scale=1.0):
        self.count += 1
        return self.a * x * x + self.b * scale

class Step:
    def __init__(self, f):
        self.f = f

    def __call__(self, x, h):
        return x + h * self.f(x, scale=2.0)

def integral(f, n):
    s = 0.0
    h = 1.0 / n
    for k in range(n):
        s += h * f((k + 0.5) * h)
    return s

def walk(step, n):
    x = 0.25
    for _ in range(n):
        x = step(x, 1e-4)
    return x

f = Power(2.5, 0.5)
print(integral(f, 6000).hex(), integral(lambda x: x * 0.5, 6000).hex(), f.count)
print(walk(Step(f), 6000).hex(), f.count)
"""


def test_objects_are_called(tmp_path):
    ran(CALLS, tmp_path, native=True)
