"""Loops whose length nothing tells beforehand: on `auto`, native code takes over half-way.

Each is called once, so a price that only looks at the loop's text would leave all of it to CPython.
Where loops inside are long they may be native on their own before their outer loop is, which is
then not worth compiling: so some are short.
"""

import pytest
from differential import difference, fallbacks, nests_by_line, nestwise, python

COUNTING = """\
def lcg(n):
    x, k, hits = 12345, 0, 0
    while k < n:
        k += 1
        x = (x * 1103515245 + 12345) % 2147483648
        if x % 7:
            continue
        hits += 1
    else:
        hits = -hits
    return x, k, hits
print(lcg(1_500_000))
"""

SEARCHING = """\
def search(x, bound):
    while True:
        x = (x * 1103515245 + 12345) % 2147483648
        if x < bound:
            break
        if x == 77:
            return None
    else:
        return -1
    return x
print(search(1, 600))
"""

RAGGED = """\
import numpy as np
def ragged(lengths, out):
    total = 0
    for i in range(len(lengths)):
        for j in range(lengths[i]):
            total += i * j % 7
            out[i] += j
    else:
        total = -total
    return total
out = np.zeros(30_000)
print(ragged([18 + k % 3 for k in range(30_000)], out), out.sum())
"""

ELEMENTS = """\
def over(lengths):
    total, last = 0, None
    for n in lengths:
        last = n
        k = 0
        while k < n:
            k += 1
            total += k % 5
    return total, last, k
print(over([18 + k % 3 for k in range(30_000)]))
"""


COUNTED = """\
import numpy as np
def over(items):
    total, last = 0, None
    for i, n in ITEMS:
        k = 0
        while k < 18:
            k += 1
            total += (k + i) % 5
        last = n
    return total, last, k
items = GIVEN
print(over(items))
"""
ARRAY = "np.arange(30_000)"
COUNTED = [
    COUNTED.replace("ITEMS", items).replace("GIVEN", given)
    for items, given in (
        ("enumerate(items)", ARRAY),
        ("zip(items, items)", ARRAY),
        ("enumerate(items, 3)", "'ab' * 15_000"),
        ("zip(range(30_000), items)", "'a\u00e9' * 15_000"),
        ("enumerate(items)", "bytes(30_000)"),
    )
]

# Nothing can count it beforehand: it is planned at once.
UNCOUNTED = """\
import array
def over(items):
    total = 0
    for n in items:
        k = 0
        while k < 18:
            k += 1
            total += (k + n) % 5
    return total
print(over(array.array("i", range(30_000))))
"""

# Its subscript grows by one from iteration to iteration, up to one beyond the end.
FALLING = """\
def falling(a, out, bound):
    k = 3
    for i in range(len(out)):
        j = 0
        while j * j < bound:
            j += 1
        out[i] = a[k + 2 * i] + j
        k -= 1
out = [0.0] * 40_000
try:
    falling([float(v) for v in range(40_002)], out, 400)
except IndexError as e:
    print(e)
print(sum(out), out[-3:])
"""


def launched(source, line, tmp_path, switches=None):
    """The nest of that line in a run that CPython's is like, and what kept nests from running."""
    program = tmp_path / "program.py"
    program.write_text(source)
    got = nestwise(program, "auto", tmp_path / "cache", switches=switches)
    assert not (found := difference(python(program), got)), found
    nest = max(nests_by_line(got.report, program)[line], key=lambda n: n["launches"])
    return nest, fallbacks(got, program)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        *((COUNTING, 3), (SEARCHING, 2), (RAGGED, 4), (ELEMENTS, 3), (FALLING, 3)),
        *((source, 4) for source in COUNTED),
    ],
    ids=["counting", "searching", "ragged", "elements", "falling"]
    + ["array", "zip", "ascii", "text", "bytes"],
)
def test_native_code_takes_over(source, line, tmp_path):
    # Made beside so short a program, a kernel may come too late where others slow the cores down.
    nest, told = launched(source, line, tmp_path, {"NESTWISE_BACKGROUND": "0"})
    assert nest["launches"] > 0, told
    assert 0 < nest["interpreted_s"] < nest["replaced_s"], nest


def test_what_cannot_be_taken_over_is_native_from_the_beginning(tmp_path):
    nest, told = launched(UNCOUNTED, 4, tmp_path)
    assert nest["launches"] > 0 and nest["interpreted_s"] == 0, told


LET_GO = """\
import weakref
import numpy as np
def over(lengths):
    total = 0
    for n in lengths:
        k = 0
        while k < n:
            k += 1
            total += k % 5
    return total
lengths = np.full(30_000, 18)
weakref.finalize(lengths, print, "gone")
print(over(lengths))
del lengths
print("end")
"""


def test_what_a_loop_ran_over_is_let_go_of(tmp_path):
    nest, told = launched(LET_GO, 5, tmp_path)
    assert nest["launches"] > 0 and nest["interpreted_s"] > 0, told


SLOW_ITERATIONS = """\
def walks(n, length):
    k, x = 0, 12345
    while k < n:
        k += 1
        j = 0
        while j < length:
            j += 1
            x = (x * 1103515245 + 12345) % 2147483648
    return x
print(walks(12, 300_000))
"""


def test_a_few_long_iterations_of_a_while_are_not_waited_for(tmp_path):
    nest, told = launched(SLOW_ITERATIONS, 3, tmp_path)
    assert nest["launches"] > 0, told


SIEVING = """\
import numpy as np
def sieve(factor):
    n = len(factor)
    p = 2
    while p * p < n:
        for m in range(p * p, n, p):
            factor[m] = p
        p += 1
    return p
factor = np.zeros(400_000, dtype=np.int64)
print(sieve(factor), factor.sum())
"""


def test_a_while_is_priced_by_the_first_trips_of_its_inner_loops(tmp_path):
    nest, told = launched(SIEVING, 5, tmp_path, {"NESTWISE_BACKGROUND": "0"})
    assert nest["launches"] == 1, told
    assert nest["interpreted_s"] == 0, nest


# How far the first `while` goes rests on the sweeps before: nobody can follow it.
STAGES = """\
import numpy as np
def stages(x):
    n, far = len(x), 1
    for sweep in range(8):
        k = 0
        while k < far % 7:
            k += 1
        far += 2 * k + 1
        half = 1
        while half < n:
            for begin in range(0, n, 2 * half):
                for i in range(half):
                    x[begin + i] += x[begin + i + half]
            half *= 2
x = np.ones(256)
stages(x)
print(x.sum())
"""


def test_loops_behind_a_while_that_nobody_can_follow_are_followed(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(STAGES)
    got = nestwise(program, "serial", tmp_path, switches={"NESTWISE_PRICES": "1"})
    assert not (found := difference(python(program), got)), found
    [nest] = nests_by_line(got.report, program)[4]
    butterflies = 8 * 128 * 8
    assert 0.7 < nest["work"]["array_set"] / butterflies < 1.6, nest["work"]


CHANCES = """\
import numpy as np
def kept(x, out):
    last = 0.0
    for i in range(len(x)):
        if x[i] > 0.5:
            out[i] = last
        last += x[i]
    return last
x = np.random.default_rng(3).random(20_000)
x = SORTED
out = np.zeros(len(x))
print(kept(x, out), kept(x, out), kept(x, out), out.sum())
"""


def test_conditions_that_nobody_can_foresee_have_a_price(tmp_path):
    """The same work, with jumps that go one way for long, and such as random numbers decide."""
    priced = {}
    for order in ("np.sort(x)", "x"):
        program = tmp_path / "program.py"
        program.write_text(CHANCES.replace("SORTED", order))
        got = nestwise(program, "serial", tmp_path, switches={"NESTWISE_PRICES": "1"})
        assert not (found := difference(python(program), got)), found
        [nest] = nests_by_line(got.report, program)[4]
        priced[order] = nest["priced_s"]["serial"]
    assert priced["x"] > 1.5 * priced["np.sort(x)"], priced


RARE_EVENTS = """\
import numpy as np
def whiles(a, b, out):
    k = 0
    while k < len(a):
        out[k] = a[k] / b[k]
        k += 1
    return k
def fors(a, b, out):
    for k in range(len(a)):
        out[k] = a[k] / b[k]
    return k
n = 300_000
a, b, out = np.ones(n), np.arange(n) + 1.0, np.zeros(n)
b[1] = b[n // 3] = b[n // 2] = b[n // 2 + 1] = 0
b[n - 1000 : n - 990] = 0
for function in (whiles, fors):
    out[:] = 0
    print(function(a, b, out), out.min(), out[-1], np.isinf(out).sum())
"""


def test_an_event_costs_what_is_around_it(tmp_path):
    """Native code comes back after each, and at once where it got far in between."""
    program = tmp_path / "program.py"
    program.write_text(RARE_EVENTS)
    got = nestwise(program, "serial", tmp_path / "cache")
    assert not (found := difference(python(program), got)), found
    for line in (4, 9):
        nest = max(nests_by_line(got.report, program)[line], key=lambda n: n["launches"])
        assert nest["launches"] >= 5, fallbacks(got, program)
        assert nest["iterations"] > 290_000, fallbacks(got, program)
