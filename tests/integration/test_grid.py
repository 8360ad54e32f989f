"""Nests on an emulated device: what its threads compute, brought back, is what CPython has."""

import device_programs
import pytest
from device_programs import HEAD
from differential import Treatment, difference, nests_by_line, nestwise, python


def ran(script, folder, **switches):
    program = folder / "grid.py"
    program.write_text(script)
    done = nestwise(program, "emulated", folder, switches=switches)
    assert not (found := difference(python(program), done)), found
    lines, found = script.splitlines(), nests_by_line(done.report, program)
    loops = [n for n in found if lines[n - 1].lstrip().startswith(("for", "while"))]
    return [nest for line in loops for nest in found[line]]


STENCIL = (
    device_programs.STEPS
    + """\
found = steps(rng.random((37, 53)), np.zeros((37, 53)), 5)
print([x if isinstance(x, int) else crc(x) for x in found])
"""
)

PRODUCT = """\
def product(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return s, i, j, k
c = np.zeros((19, 31))
print(product(rng.random((19, 23)), rng.random((23, 31)), c), crc(c))
"""

# Threads that have several iterations of both axes run them interleaved; so do those of one.
TILES = """\
def product(a, b, c):
    for i in range(a.shape[0]):
        row = 0.5 * i
        for j in range(b.shape[1]):
            s = row
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return s, i, j, k, row
def attraction(x, m, f):
    for i in range(len(x)):
        s = 0.0
        for j in range(len(x)):
            d = x[j] - x[i]
            s += m[j] * d / (d * d + 0.01)
        f[i] = s
    return i, s
c, f = np.zeros((45, 150)), np.zeros(900)
print(product(rng.random((45, 23)), rng.random((23, 150)), c), crc(c))
print(attraction(rng.random(900), rng.random(900), f), crc(f))
"""

# Windows on arrays: every other column, backwards; what lies between is nobody's to write.
WINDOWS = """\
def scale(x, y):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = x[i, j] * 3 + i
whole = np.arange(600.0).reshape(20, 30)
target = -np.arange(600.0).reshape(30, 20)
scale(whole[::-1, 1::2], target[5:25, 19:4:-1])
print(crc(whole), crc(target))
ints = rng.integers(0, 100, (40, 3), dtype=np.int16)
scale(ints.T, np.asfortranarray(np.zeros((3, 40))))
"""

# Sums, extremes with what goes along with them, flags and last values: each thread has its own, and
# blocks' are combined. Zeros have signs, and of equal values the first counts.
REDUCED = """\
def extremes(a):
    low, high, row, column, seen = 1e300, a[0, 0], -1, -1, False
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] < low:
                low = a[i, j]
                row = i
                column = j
            if a[i, j] > high:
                high = a[i, j]
                seen = True
    return low, high, row, column, seen
def counts(a, k):
    n, m, last, bits, fits = 0, k, -1, 0, True
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > 0.5:
                n += 1
                last = i * 1000 + j
            m -= i * j
            bits |= i ^ j
            if not a[i, j] < 2.0:
                fits = False
    return n, m, last, bits, fits, i, j
def cube(c):
    most, at = -1.0, 0
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(c.shape[2]):
                if c[i, j, k] > most:
                    most, at = c[i, j, k], (i * 100 + j) * 100 + k
    return most, at
def worst(a, b):
    error = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            error = max(error, abs(a[i, j] - b[i, j]))
    return error
def row(x):
    k = 0
    for i in range(len(x)):
        if x[i] < x[k]:
            k = i
    return k
def squares(x):
    s = 0
    for i in range(len(x)):
        s += x[i] * x[i]
    return s
def told(*values):
    print([(type(v).__name__, repr(v)) for v in values])
zeros = np.zeros((30, 50))
zeros[::3] = -0.0
few = rng.integers(-3, 4, (61, 67)) / 2.0
nans = rng.random((20, 30))
nans[rng.random((20, 30)) < 0.5] = np.nan
all_nan, single = np.full((4, 5), np.nan), few.astype(np.float32)
def found(a):
    told(*extremes(a), *counts(a, 7), worst(a, a[::-1]), row(a[:, 3]))
list(map(found, (rng.random((61, 67)), zeros, -zeros, few, nans, all_nan, single)))
told(*extremes(few.astype(np.int16)), *cube(rng.integers(0, 9, (11, 13, 17)) / 4))
told(squares(rng.integers(-100, 100, 5000)), squares(list(range(3000))))
"""

# Two arrays that change places, in a loop that is made into several: either may have been written.
SWAPPED = """\
def ranks(first, origin, score, fresh, rounds):
    for r in range(rounds):
        delta = 0.0
        for p in range(len(score)):
            gathered = 0.0
            for e in range(first[p], first[p + 1]):
                q = origin[e]
                gathered += score[q]
            fresh[p] = gathered + 1.0
            delta += abs(fresh[p] - score[p])
        score, fresh = fresh, score
    return delta, q
first, origin = np.sort(rng.integers(0, 200, 51)), rng.integers(0, 50, 200)
for rounds in range(1, 5):
    score, fresh = rng.random(50), np.zeros(50)
    print(ranks(first, origin, score, fresh, rounds), crc(score), crc(fresh))
"""

# Elements that iterations do nothing but update: at once, where they are. The last two leave their
# representations, which CPython has something to say about.
UPDATED = """\
import warnings
def histogram(x, h):
    for i in range(len(x)):
        h[x[i]] += 1
def plane(a, h):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            h[a[i, j], j % 3] += 2
def extremes(x, v, low, high):
    for i in range(len(x)):
        if v[i] < low[x[i]]:
            low[x[i]] = v[i]
        high[x[i]] = max(high[x[i]], v[i])
def bits(x, v, a, b, c):
    for i in range(len(x)):
        a[x[i]] |= v[i]
        b[x[i]] &= v[i]
        c[x[i]] ^= v[i]
def positions(x, h):
    for i in range(len(x)):
        h[x[i]] += i
x, v = rng.integers(0, 7, 900), rng.integers(-1000, 1000, 900)
for kind in (np.int64, np.int32):
    h = np.zeros(7, kind)
    histogram(x, h)
    low, high = np.full(7, 10**6, kind), np.full(7, -(10**6), kind)
    extremes(x, v.astype(kind), low, high)
    a, b, c = np.zeros(7, kind), np.full(7, -1, kind), np.zeros(7, kind)
    bits(x, v.astype(kind), a, b, c)
    print(h, low, high, a, b, c)
h = np.zeros((7, 3), np.int64)
plane(rng.integers(0, 7, (70, 90)), h)
h_list = [0] * 7
positions(x.tolist(), h_list)
print(h, h_list)
full, full_list = np.full(7, 2**31 - 40, np.int32), [2**63 - 5000] * 7
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    histogram(x, full)
positions(x.tolist(), full_list)
print(full, full_list, [str(w.message) for w in told])
"""

# Work arrays: each thread has them for itself, and the last iteration's are the program's.
WORKED = """def rows(a, out, work):
    n, m = a.shape
    for i in range(n):
        for k in range(m):
            work[k] = a[i, k] * 2.0
        for k in range(1, m):
            work[k] = work[k] + work[k - 1] * 0.5
        for k in range(m):
            out[i, k] = work[m - 1 - k]
def pairs(a, b, out, work, two):
    n, m = out.shape
    for i in range(n):
        for j in range(m):
            for k in range(4):
                work[k] = a[i, k] * b[j, k]
                two[k, 0] = a[i, k]
                two[k, 1] = i + j
            s = 0.0
            for k in range(1, 4):
                work[k] = work[k] - work[k - 1]
                s = s + two[k, 1] * two[k - 1, 0]
            out[i, j] = work[3] + s
a = rng.random((100, 13))
out, wide = np.zeros_like(a), np.zeros(40)
rows(a, out, wide[5:31:2])
print(crc(out), wide)
out, work, two = np.zeros((60, 50)), np.zeros(4), np.zeros((2, 4)).T
pairs(rng.random((60, 4)), rng.random((50, 4)), out, work, two)
print(crc(out), work, two)
"""

LISTS = """\
def squares(xs, ys):
    for i in range(len(xs)):
        ys[i] = xs[i] * xs[i] - i
xs, ys = [k * 7 % 31 for k in range(500)], [0] * 500
squares(xs, ys)
print(ys, sum(ys))
"""

MANDELBROT = """\
def escape(out, n, most):
    for i in range(n):
        y = i * 3.0 / n - 1.5
        for j in range(n):
            x = j * 3.0 / n - 2.0
            a = b = 0.0
            k = 0
            while k < most and a * a + b * b < 4.0:
                a, b = a * a - b * b + x, 2.0 * a * b + y
                k += 1
            out[i, j] = k
out = np.zeros((40, 40), dtype=np.int64)
escape(out, 40, 60)
print(crc(out))
"""


GRIDS = [STENCIL, PRODUCT, TILES, WINDOWS, REDUCED, SWAPPED, UPDATED, WORKED, LISTS, MANDELBROT]


@pytest.mark.parametrize("script", GRIDS)
def test_nests_on_the_grid(script, tmp_path):
    nests = ran(HEAD + script, tmp_path)
    assert all(nest["means"].get("grid", 0) > 0 for nest in nests), [n["means"] for n in nests]


# Long enough for several chunks.
LONG = """\
def steps(a, b, n):
    for t in range(n):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i - 1, j] + c[i, j])
        a, b = b, a
    return a, b
c = rng.random((60, 60))
print(*map(crc, steps(rng.random((60, 60)), np.zeros((60, 60)), 1001)))
"""
# Somebody else's code may run between two chunks, and look at the arrays.
WATCHED = """\
import signal
signal.signal(signal.SIGALRM, lambda *_: None)
"""


@pytest.mark.parametrize("before", ["", WATCHED])
def test_arrays_stay_on_the_device(before, tmp_path):
    [nest] = ran(HEAD + before + LONG, tmp_path)
    moved, size = nest["transfers"], 60 * 60 * 8
    downs = 2 if not before else moved["down"]
    assert (moved["down"], moved["bytes_down"]) == (downs, downs * size), moved
    assert moved["bytes_up"] == moved["up"] * size, moved
    # Each goes up once where nobody may have written meanwhile.
    assert (moved["up"] == 3) == (not before), moved


@pytest.mark.parametrize("seed", range(6))
def test_arrays_trade_places_between_chunks(seed, tmp_path):
    # Chunks of one to nine steps, after each of which everything comes down and goes up again.
    program = tmp_path / "grid.py"
    program.write_text(HEAD + WATCHED + LONG.replace("1001", "37"))
    done = nestwise(program, Treatment("emulated", 1, f"written:{seed}"), tmp_path)
    assert not (found := difference(python(program), done)), found
    [nest] = [n for found in nests_by_line(done.report, program).values() for n in found]
    assert nest["means"].get("grid") and nest["transfers"]["up"] > 3, nest["transfers"]


# An index out of range half-way, a sum that wraps around and one that may not, an overflow of
# floats that NumPy warns of: the arrays are as CPython leaves them.
EVENTS = """\
import sys, warnings
def picked(x, p, y):
    for i in range(len(p)):
        y[i] = x[p[i]]
x, p, y = np.arange(50.0), rng.integers(0, 50, 400), np.zeros(400)
picked(x, p, y)
p[333] = 50
try:
    picked(x, p, y)
except IndexError as error:
    print(error, crc(y))
def grown(xs, ys):
    for i in range(len(xs)):
        ys[i] = xs[i] * 3
ys = [0] * 100
grown([2**62 if k == 70 else k for k in range(100)], ys)
print(ys)
def blown(a, b):
    for i in range(len(a)):
        b[i] = a[i] * a[i]
a, b = np.full(300, 1e100), np.zeros(300)
a[200] = 1e200
warnings.simplefilter("always")
blown(a, b)
print(crc(b))
"""


def test_events_leave_everything_as_it_was(tmp_path):
    nests = ran(HEAD + EVENTS, tmp_path)
    assert sum(nest["means"].get("grid", 0) for nest in nests) >= 2


def test_copies_that_have_no_room(tmp_path):
    # The arrays have, but not a work array for each thread.
    nests = ran(HEAD + WORKED, tmp_path, NESTWISE_EMULATED="capacity=34000")
    starved = [n for n in nests if any("no memory" in str(why) for why in n["fallbacks"])]
    assert {n["function"] for n in starved} == {"rows", "pairs"}, nests


# What looks at elements between mapped loops is one thread's.
BETWEEN = (
    device_programs.ELIMINATE
    + """\
def rows(starts, x, y):
    for r in range(len(starts) - 1):
        for k in range(starts[r], starts[r + 1]):
            y[k] = x[k] * r
        if y[starts[r]] > 90.0:
            break
    return r
a, b = rng.random((20, 20)) + 1, np.zeros(20)
print(eliminate(a, b), crc(a), crc(b))
starts, y = np.arange(0, 101, 10), np.zeros(100)
print(rows(starts, rng.random(100) * 20, y), crc(y))
"""
)


def test_elements_between_mapped_loops(tmp_path):
    nests = ran(HEAD + BETWEEN, tmp_path)
    assert all(nest["means"].get("grid", 0) > 0 for nest in nests), [n["means"] for n in nests]


# A sweep in place: waves of tiles.
REWRITTEN = """\
def sweep(a):
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = 0.5 * (a[i - 1, j] + a[i, j - 1]) + 0.1 * a[i, j]
a = rng.random((90, 110))
sweep(a)
print(crc(a))
"""


def test_sweeps_are_waves(tmp_path):
    [nest] = [nest for nest in ran(HEAD + REWRITTEN, tmp_path) if nest["launches"]]
    assert nest["means"].get("grid", 0) and nest["means"].get("wavefront", 0), nest["means"]


# Sums in order and sines are the host's.
STAYS = """\
import math
def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s
def waves(x, y):
    for i in range(len(x)):
        y[i] = math.sin(x[i])
x, y = rng.random(300), np.zeros(300)
waves(x, y)
print(total(x), crc(y))
"""


def test_what_cannot_run_there_says_why(tmp_path):
    nests = ran(HEAD + STAYS, tmp_path)
    for nest in nests:
        assert nest["launches"] > 0
        assert any(mean.startswith("not on a grid: ") for mean in nest["means"]), nest["means"]


# Functions that strictly are the host's.
FUNCTIONS = """\
import math
def waves(x, y):
    for i in range(len(x)):
        y[i] = math.sin(x[i]) * np.exp(-x[i]) + math.atan2(x[i], 2.0)
x, y = rng.random(300), np.zeros(300)
waves(x, y)
near = [math.sin(v) * math.exp(-v) + math.atan2(v, 2.0) for v in x]
print(bool(np.all(np.abs(y - near) < 1e-14)))
"""


def test_functions_run_there_where_bits_are_not_promised(tmp_path):
    program = tmp_path / "grid.py"
    program.write_text(HEAD + FUNCTIONS)
    for mode in ("faithful", "fast"):
        done = nestwise(program, "emulated", tmp_path, options=["--fp", mode])
        assert (done.code, done.stdout) == (0, "True\n"), done
        nests = [n for found in nests_by_line(done.report, program).values() for n in found]
        assert any(nest["means"].get("grid", 0) for nest in nests), [n["means"] for n in nests]


# Exact in any order.
WEIGHTS = """\
def weights(index, weight, sums):
    for i in range(len(index)):
        sums[index[i]] += weight[i]
index, weight = rng.integers(0, 9, 3000), rng.integers(0, 99, 3000) * 0.25
sums = np.zeros(9)
weights(index, weight, sums)
print(sums.tolist())
"""


def test_sums_of_floats_in_arrays_where_their_order_does_not_count(tmp_path):
    program = tmp_path / "grid.py"
    program.write_text(HEAD + WEIGHTS)
    for mode, on_grid in (("faithful", False), ("fast", True)):
        done = nestwise(program, "emulated", tmp_path, options=["--fp", mode])
        assert not (found := difference(python(program), done)), found
        [nest] = [n for found in nests_by_line(done.report, program).values() for n in found]
        assert bool(nest["means"].get("grid", 0)) == on_grid, nest["means"]


def test_kernels_for_a_device_are_kept_on_disk(tmp_path):
    first, again = (ran(HEAD + LONG, tmp_path) for _ in range(2))
    for [nest], made in ((first, "kernels_compiled"), (again, "kernels_from_cache")):
        assert nest["means"]["grid"] == nest["launches"], nest
        assert (nest["kernels_compiled"], nest["kernels_from_cache"]) == (
            made == "kernels_compiled",
            made == "kernels_from_cache",
        )
    # A damaged entry is made anew.
    entries = [path for path in (tmp_path / "kernels").rglob("*") if path.is_file()]
    assert entries
    for path in entries:
        path.write_bytes(path.read_bytes()[:-1] + b"?")
    [nest] = ran(HEAD + LONG, tmp_path)
    assert nest["kernels_compiled"] == 1 and nest["means"].get("grid")
