"""Loops that run for less than a plan of them takes are never looked at; others are, in time.

The functions are called from list comprehensions, which stay in CPython.
"""

import pytest
from differential import difference, nests_by_line, nestwise, python


def ran(script, folder, *words):
    program = folder / "early.py"
    program.write_text(script)
    done = nestwise(program, "auto", folder, *words)
    assert not difference(python(program), done)
    return [nest for nests in nests_by_line(done.report, program).values() for nest in nests]


def briefly(nests):
    """Calls that were not looked at."""
    reasons = [reason for nest in nests for reason in nest["fallbacks"]]
    return sum(reason["count"] for reason in reasons if reason["code"] == "brief")


SHORT = """\
import numpy as np
def smooth(a, n):
    b = np.zeros((n, n))
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            b[i, j] = a[i - 1, j] + a[i + 1, j] if i > j else a[i, j - 1] * a[i, j + 1]
    return b.sum()
print(sum([smooth(np.ones((5, 5)), 5) for _ in range(CALLS)]))
"""


def test_short_loops_are_not_looked_at(tmp_path):
    # The loop inside is seen in the first call, which tells that nothing is done to whole arrays.
    nest, *_ = ran(SHORT.replace("CALLS", "5"), tmp_path)
    assert briefly([nest]) == nest["calls"] == 5
    assert not nest["verdicts"]
    assert 0 < nest["interpreted_s"] < 1e-3


def test_loops_that_are_short_but_many_are_planned(tmp_path):
    # The loop inside, too, where CPython runs the one around it.
    nest, *_ = ran(SHORT.replace("CALLS", "3000"), tmp_path)
    assert 5 < briefly([nest]) < 1000
    assert nest["verdicts"]


LONG = """\
def total(n):
    s = 0
    for i in range(n):
        for j in range(n):
            s += i * j % 7
    return s
print([total(1500)])
"""


def test_a_long_loop_is_planned_at_once(tmp_path):
    [nest] = ran(LONG, tmp_path)
    assert nest["verdicts"] and not briefly([nest])
    assert nest["iterations"] > 1000


# Nobody knows how long these take: CPython begins, and native code goes on where it is by then.
HEAD = """\
import numpy as np
def steps(k):
    n = 0
    while k > 1:
        k = k // 2 if k % 2 == 0 else 3 * k + 1
        n += 1
    return n
"""
UNBOUNDED = {
    "while": """\
def run(n):
    i = s = 0
    while i < n:
        s += steps(i + 1)
        i += 1
    return s, i
print([run(100000)])
""",
    "range": """\
def run(n):
    s = 0
    for i in range(3, n, 2):
        s += steps(i)
    return s, i
print([run(80000)])
""",
    "list": """\
def run(xs):
    s = 0
    for x in xs:
        s += steps(x)
    return s, x
print([run(list(range(1, 100000)))])
""",
    "array": """\
def run(xs):
    s = 0
    for x in xs:
        s += steps(int(x))
    return s, x
print([run(np.arange(1, 100000))])
""",
    "enumerate": """\
def run(xs):
    s = 0
    for i, x in enumerate(xs):
        s += i * steps(x)
    return s, i, x
print([run(list(range(1, 100000)))])
""",
    "zip": """\
def run(xs, ys):
    s = 0
    for x, y in zip(xs, ys):
        s += y * steps(x)
    return s, x, y
print([run(list(range(1, 100000)), list(range(110000)))])
""",
    "assigned": """\
def run(n):
    s = 0
    for n in range(1, n):
        s += steps(n)
    return s, n
print([run(100000)])
""",
}


@pytest.mark.parametrize("name", UNBOUNDED)
def test_loops_of_unknown_length_are_taken_over(name, tmp_path):
    nests = ran(HEAD + UNBOUNDED[name], tmp_path)
    assert sum(nest["iterations"] for nest in nests) > 10_000, nests


# What a loop over a list that changes runs over is CPython's business, whatever its shares.
CHANGING = """\
def run(xs, most):
    s = 0
    for x in xs:
        s += steps(x)
        if len(xs) < most:
            xs.append(x + 1)
    return s, x, len(xs)
def ends(xs, most):
    s = 0
    for k, x in enumerate(xs):
        s += steps(x)
        if k > most:
            xs.pop()
    else:
        s = -s
    return s, k, x, len(xs)
class Odd(list):
    def __iter__(self):
        return iter(range(5))
    def __len__(self):
        print("len")
        return 3
print([run([1, 2, 3], 3000), run(list(range(1, 20000)), 20500)])
print([ends([1, 2, 3, 4], 1), ends(list(range(1, 20000)), 9000)])
print([run(Odd([1, 2]), 0), run(zip([1, 2, 3], (4, 5)).__class__([7]) and [7, 8], 9)])
"""


def test_a_changing_list(tmp_path):
    ran(HEAD + CHANGING, tmp_path)


# A loop of few long iterations, which call a function with a loop: CPython begins it where its plan
# is made beside.
FEW = """\
import numpy as np
def means(table, out, radius):
    height, width = out.shape
    for y in range(height):
        top, bottom = max(y - radius, 0), min(y + radius + 1, height)
        for x in range(width):
            left, right = max(x - radius, 0), min(x + radius + 1, width)
            total = table[bottom, right] - table[top, right]
            total += table[top, left] - table[bottom, left]
            out[y, x] += total / ((bottom - top) * (right - left))
def main(n):
    table, out = np.arange((n + 1) * (n + 1)).reshape(n + 1, n + 1), np.zeros((n, n))
    for radius in (1, 4, 12):
        means(table, out, radius)
    print(out.sum())
main(400)
"""


def test_a_long_loop_inside_one_that_is_soon_to_be_compiled_does_not_wait_for_it(tmp_path):
    for _ in range(3):  # with nothing kept, with kernels of the loop around, with all of them
        nests = ran(FEW, tmp_path)
        # In CPython one iteration takes about 0.1 s.
        assert sum(nest["interpreted_s"] for nest in nests) < 0.06, nests
