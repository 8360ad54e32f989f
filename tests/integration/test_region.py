"""What a GPU keeps of arrays from one nest to the next, on the emulated device.

Transfers are counted: where nothing is kept, the answers would be right as well.
"""

import random

import pytest
from differential import difference, nests_by_line, nestwise, python

HEAD = """\
import gc, sys, threading, signal, weakref, warnings
import numpy as np
from fractions import Fraction
"""


def ran(text, tmp_path, env=None, device="emulated"):
    """Transfers of all nests together, and the nests; the answer is CPython's."""
    program = tmp_path / "region.py"
    program.write_text(HEAD + text)
    done = nestwise(program, device, tmp_path, switches=env or {})
    assert not (found := difference(python(program), done)), found
    nests = [n for found in nests_by_line(done.report, program).values() for n in found]
    return (
        sum(n["transfers"]["up"] for n in nests),
        sum(n["transfers"]["down"] for n in nests),
        nests,
    )


HEAT = """\
def run(n, steps):
    u, v = np.arange(float(n * n)).reshape(n, n), np.zeros((n, n))
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                v[i, j] = u[i, j] + 0.1 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        {gap}
        if t % 10 == 5:
            print(t, u[5, 5], v.sum())
    return u, v
u, v = run(12, 40)
print(u.sum(), v.sum())
"""


def test_a_time_loop_that_prints_stays_on_the_device(tmp_path):
    up, down, [nest, *_] = ran(HEAT.format(gap="u, v = v, u"), tmp_path)
    assert nest["launches"] == 40 and nest["means"]["grid"] == 40
    # Both go up at first and after each of the four prints, before which they come down.
    assert (up, down) == (10, 10)


def test_arrays_go_from_device_to_device(tmp_path):
    two = {"NESTWISE_EMULATED": "devices=2"}
    up, down, [nest, *_] = ran(HEAT.format(gap="u, v = v, u"), tmp_path, two)
    assert nest["launches"] == 40 and nest["means"]["grid"] == 40
    # Each launch brings up what the one before computed elsewhere, and what it writes a part of. Of
    # that only the copy that is newer comes down.
    assert (up, down) == (2 * 40, 40), (up, down)


def test_what_is_written_again_is_not_copied_before(tmp_path):
    # There is room for two arrays, and for nothing that one held. Where that is missing, both come
    # down each time.
    room = {"NESTWISE_EMULATED": f"capacity={3 * 12 * 12 * 8 - 1}"}
    up, down, _ = ran(HEAT.format(gap="u, v = v, u"), tmp_path, room)
    assert (up, down) == (10, 10)
    # What is added to, on the other hand, has to be there again after an event.
    added = HEAT.replace("v[i, j] =", "v[i, j] +=").format(gap="u, v = v, u")
    up, down, _ = ran(added, tmp_path, room)
    assert (up, down) > (10, 10)
    up, down, _ = ran(added, tmp_path)
    assert (up, down) == (10, 10)


# (what stands between the nest and the print, arrays that go up, and come down)
GAPS = {
    "tmp = u; u = v; v = tmp": (10, 10),
    # One array that is read and written is nothing for a grid.
    "u = v": (2, 1),
    "pass": (10, 5),
    "step = t * 2.0 + 1; x = -step if step > 3 else abs(step)": (10, 5),
    "x = u[3, 3]; y = v[0, t % 5]": (10, 40),
    # Of which one element comes down.
    "x = u[3, 3]; y = v[0, -1]": (10, 5),
    "u[3, 3] = t": (45, 5),
    # What the prints do with `w` is not known: nothing is left behind until it is made again.
    "w = np.ones(3)": (18, 9),
    "w = np.ones(3); w[0] = 2": (18, 9),
    "seen = [t]": (80, 40),
    "x = u.shape[0] * u.ndim + v.size": (10, 5),
    "x = u.shape": (80, 40),
    # What the device has is copied there: of both arrays each time, since both are written.
    "u[:] = v": (10, 10),
    "u[:, :] = v[:, :]": (10, 10),
    "u[...] = v": (10, 10),
    "u[:] = v[:]; v[:] = u": (10, 10),
    "u[:] = v[::1]": (80, 40),
    "u[:] = v[0]": (80, 40),
    "u[:, :] = v[:]": (10, 10),
    "u[:] = u": (45, 5),
    "continue": (2, 1),
}


@pytest.mark.parametrize("gap", GAPS)
def test_what_stands_between_nests(gap, tmp_path):
    up, down, _ = ran(HEAT.format(gap=gap), tmp_path)
    assert (up, down) == GAPS[gap]


# What a step makes (by `{made}`), a nest fills, and the next one reads.
MADE = """\
def run(n, steps):
    u = np.arange(float(n * n)).reshape(n, n)
    for t in range(steps):
        {made}
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                w[i, j] = u[i, j] + 0.1 * (u[i - 1, j] + u[i + 1, j])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = w[i, j] * 0.5
        {gap}
    return u, w
u, w = run(13, 30)
print(u.sum(), {seen})
"""
# (arrays that go up, and come down): the first `w` goes up, since nothing is there yet; of 30 the
# last one comes down.
MAKERS = {
    "w = np.zeros((n, n))": (2, 2),
    "w = np.zeros(u.shape, u.dtype)": (2, 2),
    "w = np.zeros([n, n])": (60, 60),
    "w = np.empty((n, n), dtype=float)": (2, 2),
    "w = np.empty_like(u, dtype=np.float64)": (2, 2),
    "w = np.zeros_like(u)": (2, 2),
    "w, k = np.zeros_like(u), t + 1": (2, 2),
    "w = u.copy()": (2, 2),
    # These go up, but nothing comes down for it.
    "w = np.ones(shape=(n, n))": (60, 60),
    "w = np.ones((n, n))": (31, 2),
    "w = np.full((n, n), 1.5)": (31, 2),
}


@pytest.mark.parametrize("made", MAKERS)
def test_arrays_that_are_made_in_a_step(made, tmp_path):
    seen = "0" if "empty" in made else "w.sum()"
    text = MADE.format(made=made, gap="pass", seen=seen)
    up, down, _ = ran(text, tmp_path)
    assert (up, down) == MAKERS[made]


def test_a_copy_is_what_the_device_holds(tmp_path):
    text = MADE.format(made="w = u.copy(); v = w.copy()", gap="w[1, 1] = v[2, 2]", seen="w.sum()")
    ran(text, tmp_path)
    text = """\
def run(u, steps):
    n = len(u)
    for t in range(steps):
        un = u.copy()
        for i in range(1, n):
            u[i] = un[i] - 0.25 * (un[i] - un[i - 1])
        if t % 10 == 9:
            print(t, un[3], un.sum(), u.flags.c_contiguous, un.flags.owndata, un.strides)
    return u, un
for u in (np.arange(40.0), np.arange(80.0)[::2], np.arange(40.0).astype(">f8"), np.arange(40)):
    u, un = run(u, 25)
    print(u.sum(), un.sum(), un.dtype, u[-3:])
"""
    up, down, _ = ran(text, tmp_path)
    print(up, down)


# Names that are not what they seem, and arrays whose end somebody sees.
SURPRISES = {
    "a list": ("w = [list(r) for r in u]; w = np.array(w); x = [t]; y = x.copy()", ""),
    "a function of somebody else's": ("w = np.zeros((n, n))", "np.zeros = looking(np.zeros)"),
    "another module": ("w = np.zeros((n, n))", "np = Pretends()"),
    "another type": ("w = np.zeros((n, n), dtype=float)", "float = Typed()"),
    "a copy of somebody else's": (
        "w = u.copy()",
        "Sub = type('Sub', (np.ndarray,), {'copy': seeing})",
    ),
    "objects": ("w = np.zeros((n, n)); o = np.zeros(2, dtype=object); o[0] = Ends()", ""),
}


@pytest.mark.parametrize("what", SURPRISES)
def test_what_only_seems_to_make_an_array(what, tmp_path):
    made, before = SURPRISES[what]
    text = f"""\
SEEN = []
def look():
    SEEN.append(float(U[0].sum()))
def looking(f):
    def g(*a, **k):
        look()
        return f(*a, **k)
    return g
def seeing(self):
    look()
    return np.array(self)
class Pretends:
    def __getattr__(self, name):
        look()
        return getattr(sys.modules["numpy"], name)
class Typed:
    @property
    def dtype(self):
        look()
        return np.dtype("f8")
class Ends:
    def __del__(self):
        look()
U = [None]
{before}
def run(u, steps):
    n = len(u)
    U[0] = u
    for t in range(steps):
        {made}
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                w[i, j] = u[i, j] + 0.1 * (u[i - 1, j] + u[i + 1, j])
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = w[i, j] * 0.5
    return u, w
u = sys.modules["numpy"].arange(144.0).reshape(12, 12)
if "Sub" in globals():
    u = u.view(Sub)
u, w = run(u, 9)
print(u.sum(), w.sum(), SEEN)
"""
    ran(text, tmp_path)


def test_a_weak_reference_sees_arrays_as_they_are(tmp_path):
    text = """\
SEEN = []
def run(n, steps):
    u = np.arange(float(n * n)).reshape(n, n)
    for t in range(steps):
        w = np.zeros((n, n))
        if t % 4 == 1:
            r = weakref.ref(w, lambda _: SEEN.append(float(u.sum())))
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                w[i, j] = u[i, j] * 0.75 + 0.1 * u[i - 1, j]
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = w[i, j]
    return u, w
u, w = run(12, 20)
print(u.sum(), w.sum(), SEEN)
"""
    ran(text, tmp_path)


CONVERGED = """\
def solve(n, tolerance):
    u, v = np.zeros((n, n)), np.zeros((n, n))
    u[0] = v[0] = 1.0
    steps = 0
    while True:
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        error = 0.0
        for i in range(n):
            for j in range(n):
                error = max(error, abs(v[i, j] - u[i, j]))
        u, v = v, u
        steps += 1
        if error < tolerance:
            break
        if steps % 1000 == 0:
            print(steps)
    return u, v, steps, error
u, v, steps, error = solve(21, 0.01)
print(u.sum(), v.sum(), steps, repr(error))
"""


def test_what_is_reduced_comes_down_and_no_array(tmp_path):
    up, down, nests = ran(CONVERGED, tmp_path)
    assert [n["means"].get("grid", 0) for n in nests] == [n["launches"] for n in nests], nests
    assert nests[0]["launches"] > 10 and (up, down) == (2, 2), (up, down)


def test_an_element_comes_down_alone(tmp_path):
    text = """
def run(n, steps):
    u, v, seen = np.ones((n, n)), np.arange(1.0 * n * n).reshape(n, n), np.zeros((steps, 3))
    w = v[::2, ::3]
    k = np.int64(2)
    for t in range(steps):
        for i in range(n):
            for j in range(n):
                u[i, j] = v[i, j] * 0.5 + t
        u, v = v, u
        seen[t, 0] = v[1, 2] + v[-1, t]
        x = u[t, k] + v[0, 1]
        seen[t, 1] = x
        row = v[2]
        if t == 9:
            print(row, x, w[1, 1])
    return u, v, seen
for a in run(12, 11):
    print(a.tobytes().hex()[-200:], a.sum())
"""
    up, down, nests = ran(text, tmp_path)
    assert up == 4 and sum(n["transfers"]["elements"] for n in nests) > 30, nests
    ran(text.replace("v[-1, t]", "v[n, t]"), tmp_path)  # an index out of range


def test_a_region_of_a_module(tmp_path):
    text = """\
n, t, err = 14, 0, 1.0
u, v = np.arange(float(n * n)).reshape(n, n), np.zeros((n, n))
while t < 30 and err > 1e-9:
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    for i in range(n):
        for j in range(n):
            u[i, j] = v[i, j] * 0.5
    t += 1
    if t % 10 == 0:
        print(t, u.sum())
print(u.sum(), v.sum())
"""
    assert ran(text, tmp_path)[:2] == (6, 6)


NEST = """
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                v[i, j] = u[i, j] * 0.5 + u[i - 1, j]
"""
# Functions of arrays `u` and `v` with a loop around NEST: however it is left, and whatever runs in
# between, arrays are seen as CPython has them there.
SEEN = {
    "an exception is caught outside": """
    try:
        for t in range(9):
            NEST
            x = 1 / (5 - t)
    except ZeroDivisionError:
        print(t, v.sum())
""",
    "an exception is caught inside": """
    for t in range(9):
        NEST
        try:
            x = 1 / (5 - t)
        except ZeroDivisionError:
            print(t, v.sum())
        u, v = v, u
""",
    "it returns": """
    for t in range(9):
        NEST
        u, v = v, u
        if t == 4:
            return u
""",
    "it breaks, and does not": """
    for stop in (3, 20):
        for t in range(9):
            NEST
            if t == stop:
                break
            u, v = v, u
        else:
            print("else", v.sum())
        print(v.sum())
""",
    "a finalizer looks": """
    class Looks:
        def __del__(self):
            print("gone", v.sum())
    x = Looks()
    for t in range(5):
        NEST
        x = t
""",
    "a finalizer of a name that the nest binds": """
    class Looks:
        def __del__(self):
            print("gone")
    for t in range(5):
        i = Looks()
        NEST
        x = t
        i = None
        NEST
        s = Looks() if t == 2 else t
        del s
""",
    "what a temporary held": """
    class Looks:
        def __del__(self):
            print("gone", v.sum())
    for t in range(6):
        NEST
        tmp = u
        u = v
        v = tmp
        kept = Looks() if t == 1 else None
        tmp = kept
        kept = None
        NEST
""",
    "numbers of a class": """
    class Number(float):
        def __add__(self, other):
            print("added", v.sum())
            return float(self) + other
        def __bool__(self):
            print("asked", v.sum())
            return True
    x, f = Number(1.5), Fraction(1, 3)
    for t in range(5):
        NEST
        y = x + 1
        f = f * 2
        if x:
            u, v = v, u
""",
    "a range of one's own": """
    def range(n):
        for k in __builtins__.range(n) if hasattr(__builtins__, "range") else [0, 1, 2]:
            print("next", v.sum())
            yield k
    for t in range(3):
        i = 1
        while i < n:
            v[i, 1] = u[i, 2] * 0.5
            i += 1
        u, v = v, u
""",
    "a generator gives the steps": """
    def steps():
        for k in range(5):
            print("step", v.sum())
            yield k
    for t in steps():
        NEST
        u, v = v, u
""",
    "an inner loop has a generator": """
    for t in range(3):
        for s in (print("inner", k, v.sum()) or k for k in range(2)):
            NEST
            u, v = v, u
""",
    "a view of it is read and written": """
    w = v[2:5, 1:4]
    z = u.T
    for t in range(5):
        NEST
        x = w[1, 1]
        z[3, 2] = x + t
        if t == 3:
            print(x, w.sum())
""",
    "an array is gone": """
    for t in range(6):
        NEST
        u = v
        v = np.zeros((n, n)) + t
        NEST
        u = v
        v = u
        w = np.ones((n, n)) * t
        NEST
""",
    "the collector runs": """
    class Looks:
        def __del__(self):
            v.sum()
    gc.set_threshold(1, 1, 1)
    for t in range(5):
        x = Looks()
        x.me = x
        x = None
        NEST
        y = t + 1
        NEST
    gc.collect()
    gc.set_threshold(700, 10, 10)
    print(gc.isenabled())
""",
    "an index is wrong": """
    k = np.arange(n)
    for t in range(6):
        NEST
        if t == 3:
            k[n - 2] = n + 5
        try:
            for i in range(n):
                u[k[i], 0] = u[i, 0] + v[i, i]
        except IndexError as error:
            print(error, u.sum(), v.sum())
            k[n - 2] = 0
        for i in range(n):
            u[k[i], 1] = u[i, 1] + v[i, i]
        u, v = v, u
""",
    "a nest fires": """
    p = np.arange(n)
    for t in range(6):
        NEST
        for i in range(n):
            v[p[i], 2] = u[p[i], 1] * 1e200 * (1e150 if t == 4 else 1.0)
        x = t + 1
        NEST
    print(v.sum())
""",
    "index arrays are computed on the device": """
    p = np.arange(n)
    q = np.zeros(n, dtype=np.int64)
    for t in range(6):
        for i in range(n):
            q[i] = (p[i] * 3 + t) % n
        for i in range(n):
            u[q[i], 0] = v[i, 1] + 1.0
        for i in range(n):
            v[i, 1] = u[q[n - 1 - i], 0] * 0.5
        p, q = q, p
""",
    "it calls itself": """
    def again(depth, u, v):
        for t in range(3):
            NEST
            u, v = v, u
            if depth and t == 1:
                again(depth - 1, u, v)
        return u
    again(2, u, v)
""",
    "it yields": """
    def steps(u, v):
        for t in range(5):
            NEST
            u, v = v, u
            yield t
    for t in steps(u, v):
        print(t, u.sum())
""",
    "another function sees it": """
    def shown():
        return u.sum() + v.sum()
    for t in range(5):
        NEST
        u, v = v, u
        x = t + 1
        if shown() > 1e9:
            break
        x = t + 2
""",
    "with": """
    for t in range(5):
        NEST
        with np.errstate(all="ignore"):
            NEST
            x = v[1, 1]
        print(x)
        with open("/dev/null") as file:
            u, v = v, u
            NEST
""",
    "names come and go": """
    for t in range(5):
        NEST
        if t:
            del x
        x = t
        y: float = t + 0.5
        u, v = v, u
        (a, b), c = (t, x), y
""",
    "others watch": """
    signal.signal(signal.SIGALRM, lambda *_: print("alarm"))
    for t in range(4):
        NEST
        x = t + 1
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
""",
    "a trace is set": """
    lines = []
    for t in range(4):
        NEST
        x = t + 1
        if t == 2:
            sys.settrace(lambda *a: lines.append(float(v.sum())))
    sys.settrace(None)
    print(lines)
""",
    "warnings are looked at": """
    big = np.float64(1e308)
    def shown(*what):
        print("warned", v.sum())
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = shown
        for t in range(4):
            NEST
            x = big * 10
            u, v = v, u
""",
}


def program(inside):
    """A script with a function that has NEST where `inside` says so, deeper or less deep."""
    lines = []
    for line in inside.splitlines():
        if line.strip() == "NEST":
            indent = line[: len(line) - len(line.lstrip())]
            lines += [indent + nest[8:] for nest in NEST.splitlines() if nest.strip()]
        else:
            lines.append(line)
    body = "\n".join(lines)
    return f"""\
def run(n):
    u, v = np.arange(float(n * n)).reshape(n, n) / 7, np.zeros((n, n))
    first, second = u, v
{body}
    print(u.sum(), v.sum(), first.sum(), second.sum())
    return u
print(run(9).sum())
print(run(12).sum())
"""


@pytest.mark.parametrize("what", SEEN)
def test_arrays_are_as_they_should_wherever_they_are_seen(what, tmp_path):
    up, _, nests = ran(program(SEEN[what]), tmp_path)
    assert what == "a range of one's own" or any(n["means"].get("grid") for n in nests), nests


# A region with events, arrays that trade places, a flush, and reads between nests.
TROUBLED = program("""
    p = np.arange(n)
    for t in range(7):
        NEST
        u, v = v, u
        x = u[2, 2]
        for i in range(n):
            v[p[i], 2] = u[p[i], 1] * (1e308 if t == 4 else 0.5)
        if t % 3 == 2:
            print(t, x, v.sum())
""")


@pytest.mark.parametrize("seed", range(40))
def test_a_device_that_fails_once(seed, tmp_path):
    at = random.Random(seed).randrange(1, 400)
    ran(TROUBLED, tmp_path, {"NESTWISE_EMULATED": f"fail={at}"})


def test_a_device_without_room_for_all(tmp_path):
    # Two arrays of 81 elements have room, and what they held, but not those of before as well.
    up, _, nests = ran(TROUBLED, tmp_path, {"NESTWISE_EMULATED": "capacity=4000"})
    assert up > 0


# The loop is left by `return`, and by an exception.
LEFT = program("""
    try:
        for t in range(9):
            NEST
            u, v = v, u
            if n == 9 and t == 5:
                return u
            x = 1 / (7 - t)
    except ZeroDivisionError:
        pass
""")


@pytest.mark.parametrize("text", [TROUBLED, LEFT], ids=["looked at", "left"])
@pytest.mark.parametrize("at", [15, 26, 30, 37, 60, 90])
def test_what_is_lost_with_the_device_is_told(at, text, tmp_path):
    program_ = tmp_path / "region.py"
    program_.write_text(HEAD + text)
    switches = {"NESTWISE_EMULATED": f"fail={at}-"}
    done = nestwise(program_, "emulated", tmp_path, switches=switches)
    expected = python(program_)
    if "nestwise: what loops computed" in done.stderr and done.code == 0:
        assert "Exception ignored" in done.stderr  # another exception was on its way
    elif done.code == 0:
        assert not (found := difference(expected, done)), found
    else:
        assert "RuntimeError: nestwise: what loops computed on the GPU" in done.stderr, done.stderr
        assert expected.stdout.startswith(done.stdout)
