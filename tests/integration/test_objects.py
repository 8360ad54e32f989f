"""Lists of objects and tuples, whose parts are arrays to a nest, and lists that nests make."""

import pytest
from differential import difference, nests_by_line, nestwise, python, verify

HEAD = """\
import random
from dataclasses import dataclass


class Body:
    def __init__(self, x, v, mass, count=0):
        self.x, self.v, self.mass, self.count = x, v, mass, count

    def __repr__(self):
        return f"Body({self.__dict__})"


class Slotted:
    __slots__ = ("x", "v", "mass", "count")

    def __init__(self, x, v, mass, count=0):
        self.x, self.v, self.mass, self.count = x, v, mass, count

    def __repr__(self):
        return f"Slotted({self.x}, {self.v}, {self.mass}, {self.count})"


@dataclass
class Data:
    x: float = 0.0
    v: float = 0.0
    mass: float = 1.0
    count: int = 0


rng = random.Random(5)


def made(n, of=Body):
    return [of(rng.random(), rng.random() - 0.5, 1.0 + k) for k in range(n)]


def shown(bodies):
    return [(b.x.hex(), b.v.hex(), b.mass, b.count, type(b.count).__name__) for b in bodies]
"""

FORCES = """\
def step(bodies, dt):
    for i in range(len(bodies)):
        a = bodies[i]
        for j in range(len(bodies)):
            if i != j:
                d = bodies[j].x - a.x
                a.v += dt * bodies[j].mass * d / (abs(d) ** 3 + 0.01)
                a.count += 1
    for b in bodies:
        b.x += dt * b.v
    return a, b

for of in (Body, Slotted, Data):
    bodies = made(9, of)
    for _ in range(4):
        last = step(bodies, 0.01)
    print(shown(bodies), bodies.index(last[0]), bodies.index(last[1]))
"""


def ran(text, tmp_path, native=True):
    """The answer is CPython's, in each way to run it; `native`: whether any nest runs so."""
    program = tmp_path / "objects.py"
    program.write_text(HEAD + text)
    expected = python(program)
    for device in ("serial", "threads"):
        done = nestwise(program, device, tmp_path)
        assert not (found := difference(expected, done)), found
        nests = nests_by_line(done.report, program)
        launched = sum(n["launches"] for found in nests.values() for n in found)
        assert native is None or (launched > 0) == native, done.report
    return expected


def test_forces_between_bodies(tmp_path):
    done = ran(FORCES, tmp_path)
    assert done.stdout.count("] 8 8") == 3


LOOPS = {
    "subscripts": "for i in range(len(b)):\n        b[i].x = b[i].x * 2 + b[-1 - i].v",
    "names": "for i in range(len(b)):\n        p = b[i]\n        p.x -= p.v; p.count += i",
    "items": "for p in b:\n        p.x += p.v",
    "enumerate": "for i, p in enumerate(b):\n        p.v = i * p.mass",
    "zip": "for p, q in zip(b, c):\n        p.x, q.v = q.x, p.v",
    "reversed": "for p in reversed(b):\n        p.x += 1\n        s += p.x",
    "pairs": "for p in b:\n        for q in c:\n            s += p.mass * q.mass * abs(p.x - q.x)",
    "conditions": "for p in b:\n        if p.x > 0.5 and p.v < 0:\n            p.v = -p.v; s += 1",
    "sums": "for _ in range(3):\n        s += sum(p.mass for p in b)",
    "best": "for p in b:\n        if p.x > s:\n            s = p.x; best = p.mass",
    "while": "while k < len(b):\n        b[k].count = k; k += 1",
    "an int becomes a float": "for p in b:\n        p.count = p.count + 0.5",
    "a float becomes an int": "for p in b:\n        p.x = 1",
    "a tuple of them": "for p in tuple_of:\n        p.x += 1",
    "out of range": "for i in range(len(b) + 1):\n        b[i].x = i",
    "division by zero": "for i, p in enumerate(b):\n        p.x = 1 / (5 - i)",
}


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_loops(loop, tmp_path):
    ran(
        f"""
def run(b, c, tuple_of, s=0.0, k=0, best=None):
    p = q = i = None
    try:
        {loop.replace(chr(10) + "    ", chr(10) + "        ")}
    except (IndexError, ZeroDivisionError) as e:
        print(repr(e))
    where = [x.index(p) if p in x else None for x in (b, c, tuple_of)]
    return s, k, best, i, where

for n in (1, 7, 40):
    b, c = made(n), made(n + 2)
    t = tuple(made(n))
    print(run(b, c, t))
    print(shown(b), shown(c), shown(t))
""",
        tmp_path,
    )


FUNCTIONS = {
    "of objects": """
def force(a, b):
    d = b.x - a.x
    return b.mass * d / (abs(d) + 0.1)

def run(b):
    for p in b:
        f = 0.0
        for q in b:
            if q is not p:
                f += force(p, q)
        p.v += f
""",
    "that assign": """
def kick(p, q, dt):
    p.v += dt * q.mass
    q.count += 1

def move(p, dt):
    p.x = p.x + dt * p.v

def run(b):
    for i in range(len(b)):
        for j in range(i):
            kick(b[i], b[j], 0.1)
        move(b[i], 0.1)
""",
    "methods of what holds them": """
class System:
    def __init__(self, bodies):
        self.bodies, self.energy, self.steps = bodies, 0.0, 0

    def at(self, i):
        return self.bodies[i].x * self.bodies[i].mass

    def step(self, dt):
        for i in range(len(self.bodies)):
            self.energy += self.at(i)
            self.bodies[i].x += dt * self.bodies[i].v
            self.steps += 1

def run(b):
    s = System(b)
    for _ in range(3):
        s.step(0.5)
    print(s.energy, s.steps)
""",
    "methods of their own": """
class Ball(Body):
    def energy(self):
        return 0.5 * self.mass * self.v ** 2

    def move(self, dt, low=0.0):
        self.x += dt * self.v
        if self.x < low:
            self.x, self.v = low, -self.v
            self.count += 1

    def hits(self, other, width):
        return self is not other and abs(self.x - other.x) < width

def run(b):
    balls = [Ball(p.x, p.v, p.mass) for p in b]
    e = hits = 0.0
    for _ in range(20):
        for p in balls:
            p.move(0.1, low=0.2)
            e += p.energy()
        for i in range(len(balls)):
            for q in balls:
                if balls[i].hits(q, 0.05):
                    hits += 1
    print(e, hits, shown(balls))
""",
    "objects in objects": """
class V:
    def __init__(self, x, y):
        self.x, self.y = x, y

class Thing:
    def __init__(self, k):
        self.at, self.by = V(k, -k), V(0.5, k * 0.25)

def run(b):
    things = [Thing(p.x) for p in b]
    for _ in range(10):
        for t in things:
            t.at.x += t.by.x
            t.at.y = t.at.y - t.by.y
    print([(t.at.x, t.at.y) for t in things])
""",
    "same objects": """
def run(b):
    n = 0
    for p in b:
        for q in b:
            if p is q:
                n += 1
            if b[0] is not q and q.x > p.x:
                p.count += 1
    print(n)
""",
}


@pytest.mark.parametrize("text", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions(text, tmp_path):
    calls = "for n in (1, 8, 30):\n    b = made(n)\n    run(b)\n    print(shown(b))\n"
    ran(f"{text}\n{calls}", tmp_path)


def test_objects_that_stand_in_a_list_twice_are_told_apart_by_cpython(tmp_path):
    text = f"{FUNCTIONS['same objects']}\nb = made(4); b.append(b[1])\nrun(b)\nprint(shown(b))\n"
    ran(text, tmp_path, native=False)


def test_a_method_that_another_class_does_not_have(tmp_path):
    ran(
        """
class P(Body):
    def move(self):
        self.x += 1

p, q = made(3, P), made(3)
def run(of):
    for b in of:
        b.move()

run(p)
try:
    run(q)
except AttributeError as e:
    print(e)
p[1].move = lambda: print("its own")
run(p)
print(shown(p), shown(q))
""",
        tmp_path,
    )


# What would be another program with attributes read once and set once.
ALIASES = {
    "one object twice": ("b = made(5); b.append(b[2])", "for p in b:\n        p.x = p.x * 2 + 1"),
    "in another list, too": (
        "b = made(5); c = made(2) + [b[3]]",
        "for p in b:\n        for q in c:\n            p.x = p.x + q.x",
    ),
    "under a name": (
        "b = made(5); me = b[1]",
        "for p in b:\n        p.x = p.x + me.x",
    ),
    "assigned under a name": (
        "b = made(5); me = b[1]",
        "for p in b:\n        me.x = me.x + p.x",
    ),
    "the same list under two names": (
        "b = made(5); c = b",
        "for p, q in zip(b, reversed(c)):\n        p.x = q.x + 1",
    ),
}


@pytest.mark.parametrize(("made", "loop"), ALIASES.values(), ids=ALIASES)
def test_what_has_two_ways_to_it(made, loop, tmp_path):
    ran(
        f"""
{made}
c = globals().get("c", b)
me = globals().get("me")

def run():
    {loop}

run()
print(shown(b), shown(c))
""",
        tmp_path,
        # There the inner loop runs for objects that are not in the other list.
        native=None if "q.x" in loop and "zip" not in loop else False,
    )


def test_an_object_under_a_name_that_is_only_read(tmp_path):
    ran(
        """
b = made(6)
me = b[2]

def run():
    for p in b:
        p.v += p.mass * me.x - me.mass

run()
print(shown(b))
""",
        tmp_path,
    )


ODD = {
    "a property": "@property\n    def x(self): return 1.0\n"
    "    @x.setter\n    def x(self, v): print('set', v)",
    "__setattr__": "def __setattr__(self, k, v): print('set', k); object.__setattr__(self, k, v)",
    "__getattr__": "def __getattr__(self, k): return 1.0",
    "an attribute of the class's": "x = 1.0",
    "__bool__": "x = 1.0\n    def __init__(self): self.x = 0.5\n"
    "    def __bool__(self): return False",
}


@pytest.mark.parametrize("inside", ODD.values(), ids=ODD)
def test_classes_with_more_to_an_attribute(inside, tmp_path):
    native = "__bool__" in inside
    ran(
        f"""
class Odd:
    {inside}

b = [Odd() for _ in range(4)]
for p in b:
    p.x = p.x + 1
print([(p.x, p.__dict__) for p in b], b.index(p))
""",
        tmp_path,
        native,
    )


def test_objects_of_several_classes_and_none(tmp_path):
    ran(
        """
b = made(3) + made(3, Data)
c = made(3) + [None]
for p in b:
    p.x += 1
try:
    for p in c:
        p.x += 1
except AttributeError as e:
    print(e)
print(shown(b), shown(c[:3]))
""",
        tmp_path,
        native=False,
    )


def test_lists_that_are_attributes(tmp_path):
    ran(
        """
class P:
    def __init__(self, k):
        self.pos = [float(k), k + 0.5, -1.0]
        self.vel = [0.25 * k, 1.0, 2.0]

b = [P(k) for k in range(8)]
for _ in range(3):
    for p in b:
        for k in range(3):
            p.pos[k] += 0.5 * p.vel[k]
print([(p.pos, p.vel) for p in b])
""",
        tmp_path,
    )


def test_whatever_is_compared_is_found_the_same(tmp_path):
    program = tmp_path / "objects.py"
    program.write_text(HEAD + FORCES)
    done = verify(program, tmp_path)
    assert "no difference" in done.stderr and "verify: 0 runs" not in done.stderr, done.stderr
