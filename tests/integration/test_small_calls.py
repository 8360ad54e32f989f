"""Loops that are small in call after call are left to CPython without much ado; long ones are not.

The functions are called from list comprehensions, which stay in CPython.
"""

import pytest
from differential import difference, nests_by_line, nestwise, python

GCD = """\
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a
print(sum([gcd(a * 7919, a * a + 1) for a in range(1, 30001)]))
"""

ATTRIBUTES = """\
class Walker:
    def __init__(self):
        self.xs = list(range(20))
        self.n = 20
    def walk(self, k):
        t = 0
        while k < self.n:
            t += self.xs[k]
            k += 3
        return t
w = Walker()
print(sum([w.walk(k % 20) for k in range(30000)]))
"""

FAILING = """\
def over(xs, k):
    while k < len(xs) and xs[k] != 0:
        k += 1
    return k
xs = [object()] * 5
print(sum([over(xs, k % 5) for k in range(30000)]))
"""

# Of whose work no size tells: rows may have any length.
ROWS = """\
def spread(rows, new):
    for u in range(len(rows)):
        for v in rows[u]:
            new[v] += 0.5
        print(end="")
rows = [[k * j % 1000 for j in range(k % 5)] for k in range(1000)]
new = [0.0] * 1000
for k in range(12):
    spread(rows, new)
print(sum(new))
"""

# The same at module level.
NEIGHBOURS = """\
rows = [[k * j % 1000 for j in range(k % 5)] for k in range(1000)]
for k in range(12):
    new = [k for k in range(1000)]
    for u in range(1000):
        for v in rows[u]:
            new[v] += 0.5
print(sum(new))
"""

# Soon over, though they could go on for long.
SEARCHES = """\
def primes(n):
    found = []
    for c in range(2, n):
        prime = True
        for p in found:
            if p * p > c:
                break
            if c % p == 0:
                prime = False
                break
        if prime:
            found.append(c)
    return found
print(sum(primes(30000)))
"""

# A loop in a function that it calls: thousands of calls begin before the first of them ends.
DEEP = """\
import sys
def visit(u, links, seen, order):
    seen[u] = True
    for v in links[u]:
        if not seen[v]:
            visit(v, links, seen, order)
    order.append(u)
n = 20000
sys.setrecursionlimit(100000)
links = [[(k * 7 + j * 13 + 1) % n for j in range(4)] for k in range(n)]
seen, order = [False] * n, []
visit(0, links, seen, order)
print(len(order), order[:5])
"""

WIDE = """\
def leaves(depth):
    total = 1
    for k in range(3):
        if depth:
            total += leaves(depth - 1)
    return total
print(leaves(9))
"""

# What a call has to do seems to be large in every other one.
UNEVEN = """\
def pick(seed):
    found = []
    for _ in range(4):
        seed = seed * 48271 % 2147483647
        found.append(seed)
    return seed, found
def picked(n):
    seed = 99
    for k in range(n):
        seed, found = pick([seed][0])
        print(end="")
    return found
print(picked(30000))
"""

# What bounds the work grows from call to call, the work itself does not.
GROWING = """\
def total(data):
    s = pos = 0
    while True:
        try:
            x = data[pos]
            for j in range(x & 3):
                s += j
            pos += 1
        except IndexError:
            break
    return s
print(total(list(range(60000))))
"""

SMALL = [GCD, ATTRIBUTES, FAILING, ROWS, NEIGHBOURS, SEARCHES, DEEP, WIDE, UNEVEN, GROWING]


@pytest.mark.parametrize("script", SMALL)
def test_small_loops_are_asked_about_now_and_then(script, tmp_path, monkeypatch):
    # Until there is a plan all are asked about: on a busy machine that may take long.
    monkeypatch.setenv("NESTWISE_BACKGROUND", "0")
    program = tmp_path / "small.py"
    program.write_text(script)
    done = nestwise(program, "auto", tmp_path)
    assert not difference(python(program), done)
    asked = [n["calls"] for nests in nests_by_line(done.report, program).values() for n in nests]
    # Once for some hundreds of calls, and each few milliseconds.
    assert 0 < max(asked) < 6000


LARGER = """\
def count(n):
    k = s = 0
    while k < n:
        s += k * k % 7
        k += 1
    return s
print(sum(map(count, [0, 1, 2, 3, 4] * 1000)))
print(sum(map(count, (400_000, 3, 400_001, 400_002))))
"""

AS_LARGE = """\
def zeros(xs, k):
    while xs[k] == 0:
        k += 1
    return k
short, long = [1] * 400_000, [0] * 399_999 + [1]
print(sum(map(zeros, [short] * 5000, [1] * 5000)))
print(sum(map(zeros, [long] * 40, [1] * 40)))
"""


@pytest.mark.parametrize(("script", "least"), [(LARGER, 2), (AS_LARGE, 20)])
def test_a_long_loop_is_asked_about_after_many_small_ones(script, least, tmp_path):
    program = tmp_path / "long.py"
    program.write_text(script)
    done = nestwise(program, "auto", tmp_path)
    assert not difference(python(program), done)
    [nests] = nests_by_line(done.report, program).values()
    # No number tells that the calls of the second script are longer, but that some have taken long.
    assert sum(n["iterations"] for n in nests) > least * 400_000


# A name that is a float at first and NumPy's half-way: of the loop as it begins, and as it goes on,
# kernels are two.
SETTLING = """\
import numpy as np
def settle(a, tolerance, most):
    change, k = tolerance + 1.0, 0
    while change > tolerance and k < most:
        change = 0.0
        for i in range(1, len(a) - 1):
            new = 0.5 * (a[i - 1] + a[i + 1])
            change = max(change, abs(new - a[i]))
            a[i] = new
        k += 1
    return k, change
print(sum([settle(np.arange(12.0) ** 2, 1e-9, 6)[0] for k in range(3000)]))
"""


def test_a_loop_that_is_taken_over_again_and_again_is_run_from_its_beginning(tmp_path, monkeypatch):
    monkeypatch.setenv("NESTWISE_LEARNING", "0")
    program = tmp_path / "settling.py"
    program.write_text(SETTLING)
    done = nestwise(program, "auto", tmp_path)
    assert not difference(python(program), done)
    (nest,) = nests_by_line(done.report, program)[4]
    # Hundreds of calls pay for the kernel, on a busy machine more, not all of them.
    assert nest["declined"] < 2000 and nest["launches"] > 1000


# Calls so far apart that there is a question in any case, if there is time for one.
SELDOM = """\
import time
def zeros(xs, k):
    while xs[k] == 0:
        k += 1
    return k
short, long = [1] * 4_000_000, [0] * 3_999_999 + [1]
def after_a_while(xs):
    time.sleep(0.03)
    return zeros(xs, 1)
print(sum(map(after_a_while, [short] * 30)))
print(sum(map(after_a_while, [long] * 3)))
"""


def test_small_calls_that_come_seldom_are_watched_rather_than_asked_about(tmp_path):
    program = tmp_path / "seldom.py"
    program.write_text(SELDOM)
    done = nestwise(program, "planned", tmp_path)
    assert not difference(python(program), done)
    [[nest]] = nests_by_line(done.report, program).values()
    assert nest["calls"] >= 15
    assert nest["declined"] < 15, nest
    # The first long one is interrupted.
    assert nest["iterations"] > 1_000_000, nest
