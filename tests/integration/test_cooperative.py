"""Loops that one kernel of an emulated device runs as a whole: its threads wait for each other."""

import device_programs
import pytest
from device_programs import HEAD
from differential import Treatment, difference, nests_by_line, nestwise, python


def ran(script, folder, device="together", options=(), **switches):
    program = folder / "cooperative.py"
    program.write_text(HEAD + script)
    done = nestwise(program, device, folder, options=list(options), switches=switches)
    assert not (found := difference(python(program), done)), found
    nests = [n for found in nests_by_line(done.report, program).values() for n in found]
    return [nest for nest in nests if nest["launches"] or nest["fallbacks"]]


def is_cooperative(nest):
    return 0 < nest["means"].get("cooperative", 0) == nest["means"].get("grid")


STEPS = (
    device_programs.STEPS
    + """\
for n in (1, 2, 7):
    x, y = rng.random((37, 53)), np.zeros((37, 53))
    found = steps(x, y, n)
    print([v if isinstance(v, int) else crc(v) for v in found], found[0] is x, found[1] is y)
"""
)

ELIMINATE = (
    device_programs.ELIMINATE
    + """\
a, b = rng.random((60, 60)) + 1, np.zeros(60)
print(eliminate(a, b), crc(a), crc(b))
"""
)

# How long they go on is known when a step is over.
UNTIL = """\
def until(u, tol):
    count, err = 0, 1.0
    while err > tol:
        err = 0.0
        for i in range(len(u)):
            x = 0.5 * u[i]
            err = max(err, abs(u[i] - x))
            u[i] = x
        count += 1
    return count, err
def at_most(u, tol, m):
    for count in range(m):
        err, where = 0.0, -1
        for i in range(len(u)):
            x = 0.5 * u[i]
            if abs(u[i] - x) > err:
                err, where = abs(u[i] - x), i
            u[i] = x
        if err < tol:
            break
    else:
        return None
    return count, err, where
def returns(u, tol, m):
    for count in range(m):
        most = 0.0
        for i in range(len(u)):
            u[i] = 0.75 * u[i]
            most = max(most, u[i])
        if most < tol:
            return count, most
    return m, None
def show(f, *rest):
    u = rng.random(200)
    print(f(u, 1e-6, *rest), crc(u))
show(until)
show(at_most, 99)
show(at_most, 3)
show(returns, 99)
show(returns, 2)
"""

# Axes of three, two and one; bounds that the step decides; sums of ints, and flags.
SHAPES = """\
def shapes(c, d, q, n):
    total, odd = 0, False
    for t in range(n):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                for k in range(c.shape[2]):
                    c[i, j, k] = c[i, j, k] * 0.5 + t
        for i in range(t, c.shape[1]):
            for j in range(i):
                d[i, j] = d[i, j] + i - j
        for i in range(len(q)):
            total += q[i] * t
            q[i] = q[i] * 3 % 101
            odd = odd or q[i] == 77
    return total, odd, i, j, k
c, d, q = rng.random((3, 9, 21)), np.zeros((9, 9)), rng.integers(0, 101, 77)
print(shapes(c, d, q, 5), crc(c), crc(d), crc(q))
"""

# A work array of each thread, counts that many threads update at once, and a table of few columns.
SHARED = """\
def shared(x, bins, y, w, n):
    for t in range(n):
        for i in range(len(x)):
            bins[x[i]] += 1
        for i in range(y.shape[0]):
            for k in range(len(w)):
                w[k] = y[i, k] * 2 + t
            for k in range(len(w)):
                y[i, k] = w[len(w) - 1 - k]
        for i in range(len(x)):
            x[i] = (x[i] + 5) % len(bins)
    return n
x, bins = rng.integers(0, 11, 300), np.zeros(11, dtype=np.int64)
y, w = rng.random((40, 6)), np.zeros(6)
print(shared(x, bins, y, w, 6), crc(x), crc(bins), crc(y), crc(w))
"""

# A serial loop inside another one, of which only the inner one can be a kernel.
INSIDE = """\
def inside(a, n, m):
    done = 0
    for r in range(n):
        if r == 2:
            continue
        for t in range(m):
            for i in range(1, len(a)):
                a[i] = a[i] * 0.9 + t
            a[0] = a[len(a) - 1] * r
            done += 1
        if a[0] > 1e6:
            return r, done
    return n, done
a = rng.random(70)
print(inside(a, 5, 4), crc(a))
"""

# A sweep in place: a kernel for each wave of tiles, or one for all.
SWEEP = """\
def sweep(a):
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = 0.5 * (a[i - 1, j] + a[i, j - 1]) + 0.1 * a[i, j]
a = rng.random((90, 110))
sweep(a)
print(crc(a))
"""

PROGRAMS = {
    "steps": STEPS,
    "eliminate": ELIMINATE,
    "until": UNTIL,
    "shapes": SHAPES,
    "shared": SHARED,
    "inside": INSIDE,
    "sweep": SWEEP,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_loop_is_a_kernel(name, tmp_path):
    nests = ran(PROGRAMS[name], tmp_path)
    assert nests and all(is_cooperative(n) and not n["fallbacks"] for n in nests), nests
    # What its threads have in common is no array.
    assert all(n["transfers"]["up"] <= 5 * n["launches"] for n in nests)


@pytest.mark.parametrize("name", ["steps", "eliminate", "until", "inside"])
def test_blocks_that_do_not_wait_are_found(name, tmp_path):
    program = tmp_path / "cooperative.py"
    program.write_text(HEAD + PROGRAMS[name])
    for switches in ({}, {"NESTWISE_EMULATED": "rush"}):
        done = nestwise(program, "together", tmp_path, switches=switches)
        assert bool(difference(python(program), done)) == bool(switches)


def test_a_kernel_for_each_where_that_is_asked_for(tmp_path):
    for nest in ran(STEPS + SWEEP, tmp_path, "apart"):
        assert nest["means"].get("grid") and not nest["means"].get("cooperative"), nest["means"]


# In whichever part something fires, and whatever the others have done by then.
EVENTS = """\
import warnings
def steps(x, p, y, n):
    for t in range(n):
        for i in range(len(p)):
            y[i] = x[p[i]] + t
        for i in range(len(x)):
            x[i] = x[i] + y[i]
        p[t * 7 % len(p)] += t
    return t
x, p, y = np.arange(50.0), rng.integers(0, 50, 90), np.zeros(90)
p[:] = p % 45
try:
    print(steps(x, p, y, 40))
except IndexError as error:
    print(error)
print(crc(x), crc(p), crc(y))
def grown(xs, n):
    total = 1
    for t in range(n):
        for i in range(len(xs)):
            xs[i] = xs[i] * 3
        total *= 7
    return total
xs = list(range(70))
print(grown(xs, 50), sum(xs))
def blown(a, n):
    for t in range(n):
        for i in range(len(a)):
            a[i] = a[i] * a[i] * 1.5
    return t
a = rng.random(300) + 1
warnings.simplefilter("always")
print(blown(a, 14), crc(a))
def divided(a, b, n):
    for t in range(n):
        for i in range(len(a)):
            a[i] = a[i] // (b[0] - t)
        b[1] = t
a, b = [float(k) for k in range(80)], [3.0, 0.0]
try:
    divided(a, b, 9)
except ZeroDivisionError as error:
    print(error, b, sum(a))
"""


def test_events_end_it_for_all_threads(tmp_path):
    nests = ran(EVENTS, tmp_path)
    assert sum(n["means"].get("cooperative", 0) for n in nests) >= 3, [n["means"] for n in nests]
    assert not any("barriers" in str(n["fallbacks"]) for n in nests), nests


@pytest.mark.parametrize("seed", range(4))
def test_between_chunks_everything_is_the_hosts(seed, tmp_path):
    watched = "import signal\nsignal.signal(signal.SIGALRM, lambda *_: None)\n"
    program = watched + STEPS.replace("(1, 2, 7)", "(1, 2, 23)") + UNTIL
    nests = ran(program, tmp_path, Treatment("together", 1, f"written:{seed}"))
    # Two arrays go up for each chunk of the steps, of which there are several.
    assert nests[0]["transfers"]["up"] > 2 * nests[0]["launches"]


@pytest.mark.parametrize("at", [3, 5, 8, 9, 10, 12, 15, 20, 25])
def test_a_device_that_fails_costs_nothing_but_time(at, tmp_path):
    nests = ran(STEPS + ELIMINATE, tmp_path, NESTWISE_EMULATED=f"fail={at}")
    assert any("says so" in str(n["fallbacks"]) for n in nests), nests


def test_sums_of_floats_in_any_order(tmp_path):
    script = """\
def descend(a, x, r, n):
    for t in range(n):
        s = 0.0
        for i in range(len(x)):
            s += r[i] * r[i]
        for i in range(len(x)):
            x[i] += r[i] * (0.5 / s)
            r[i] = a[i] - x[i]
    return round(s, 6)
a, x = np.ones(500), np.zeros(500)
print(descend(a, x, a - x, 6), round(float(x.sum()), 6))
"""
    [nest] = ran(script, tmp_path, options=["--fp", "fast"])
    assert is_cooperative(nest), nest["means"]
