"""Steps over whole arrays of which a later one goes wrong, or has NumPy warn: those before stay as they are."""

import sys
import traceback
import warnings
import zlib

import numpy as np

N, STEPS = 60, 12


def digest(x):
    return f"{zlib.crc32(np.ascontiguousarray(x).tobytes()):08x}"


def smooth(u, v):
    rows, columns = u.shape
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            v[i, j] = 0.3 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


def swapped(u, v, places, growth):
    """Which buffer is which is kept behind the swap."""
    for _ in range(STEPS):  # native
        smooth(u, v)
        u, v = v, u
    return u, v


def counted(u, v, places, growth):
    """After each step's loops an element that need not be there."""
    done = 0
    for t in range(STEPS):  # native
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                v[i, j] = u[i, j] * growth + u[i - 1, j]
        places[places[t]] += 1
        u, v = v, u
        done = t
    return done, u, v


def before(u, v, places, growth):
    """The element comes first."""
    for t in range(STEPS):  # native
        u[places[t], 3] = growth
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                v[i, j] = u[i, j] * growth
        u, v = v, u
    return u, v


def in_place(u, v, places, growth):
    """A step reads what it writes."""
    for t in range(STEPS):  # native
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                u[i, j] = u[i, j] * growth + v[places[t], j]
    return (t,)


def within(u, v, places, growth):
    """The element that need not be there stands in the inner loop."""
    for t in range(STEPS):  # native
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                v[i, j] = u[i, j] * growth + u[places[t], j]
        u, v = v, u
    return u, v


def to_and_fro(u, v, places, growth):
    """Two nests in a step, the second one back into the first one's array."""
    for t in range(STEPS):  # native
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                v[i, j] = growth * (u[i, j] + u[i, j - 1])
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                u[i, j] = growth * (v[i, j] + v[i - 1, j])
        places[t] = places[places[t]]
    return (t,)


def run(function, bad, growth):
    u = np.linspace(1.0, 2.0, N * N).reshape(N, N)
    v = u[::-1].copy()
    places = np.arange(STEPS) % 7
    if bad is not None:
        places[bad] = 10**6
    try:
        result = function(u, v, places, growth)
        result = [digest(x) if isinstance(x, np.ndarray) else x for x in result]
    except IndexError as error:
        frames = traceback.extract_tb(error.__traceback__)
        caught = error.__traceback__.tb_next.tb_frame.f_locals
        kept = {k: w for k, w in caught.items() if k in "tij"}
        result = (frames[-1].line, str(error), sorted(kept.items()), digest(caught["u"]))
    print(function.__name__, bad, growth, result, digest(u), digest(v), places.tolist())


def shown(message, category, filename, lineno, file=None, line=None):
    print(f"{category.__name__}: {message}, line {lineno}")


warnings.showwarning = shown
for function in (swapped, counted, before, in_place, within, to_and_fro):
    for bad in (None, 0, 5, STEPS - 1):
        run(function, bad, 0.9)
    # The fifth step or so is too large for a double.
    run(function, None, 1e70)
    run(function, 3, 1e70)
warnings.simplefilter("error")
for function in (counted, before, in_place, within, to_and_fro):
    try:
        run(function, None, 1e70)
    except RuntimeWarning as error:
        print(function.__name__, error)
        caught = sys.exc_info()[2].tb_next.tb_next.tb_frame.f_locals
        kept = {k: w for k, w in caught.items() if k in "tij"}
        print(kept, digest(caught["u"]), digest(caught["v"]))
