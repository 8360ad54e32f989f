"""NumPy's warnings of operations whose values are only compared, and what it raises where it compares."""

import numpy as np
from showing import attempt, show


def differs(x, y, steps):
    """The condition warns when it is evaluated for the last time."""
    k = 0
    while x - y > 0:  # native
        y = x
        x = x + steps[k]
        k += 1
    return x, y, k


def distance(a, b):
    far = 0
    for i in range(len(a)):  # native
        if abs(a[i] - b[i]) < 0:
            far += 1
    return far


def square(a):
    below = 0
    for i in range(len(a)):  # native
        if a[i] * a[i] < 0:
            below += 1
    return below


def root(a):
    positive = 0
    for i in range(len(a)):  # native
        if np.sqrt(a[i]) > 0:
            positive += 1
    return positive


def product(a, b):
    found = 0
    for i in range(len(a)):  # native
        if a[i] * b[i] > np.inf:
            found += 1
    return found


def nothing_done(a, b):
    for i in range(len(a)):  # native
        if a[i] - b[i] > 3.0:
            pass
    return i


def last_only(a, b):
    larger = None
    for i in range(len(a)):  # native
        larger = a[i] - b[i] > 3.0
    return larger


def overwritten(a, b):
    larger = False
    for i in range(len(a)):  # native
        larger = a[i] - b[i] > 3.0
        larger = True
    return larger


def quotients(z, w):
    """NumPy warns where the divisor is no number, since C compares its parts."""
    for i in range(len(z)):  # native
        z[i] = z[i] / w[i]
    return z


def pythons_quotients(z, w):
    for i in range(len(z)):  # native
        z[i] = z[i] / w[i]
    return z


def beside_bools(flags, start):
    """An int of more than 64 bits is an error beside NumPy's bools, and none beside its ints."""
    k = start
    same = 0
    for i in range(len(flags)):  # native
        k = k * 1000 + i
        if (k + 2**62) != flags[i]:
            same += 1
    return same, k


def with_bools(flags, k):
    for i in range(len(flags)):
        if (k + i + 2**63) > flags[i]:
            k += 1
    return k


a, b = np.ones(60), np.ones(60)
a[50] = b[50] = np.inf
steps = np.ones(60)
steps[40] = np.inf
show("differs", *differs(np.float64(1.0), np.float64(0.0), steps))
show("distance", distance(a, b))
show("nothing_done", nothing_done(a, b))
show("last_only", last_only(a, b))
show("overwritten", overwritten(a, b))
huge = np.full(60, 2.0)
huge[45] = 1e300
show("square", square(huge))
show("product", product(huge, huge))
some = np.arange(60.0)
some[33] = -1.0
show("root", root(some))

for kind in ("complex128", "complex64"):
    for part in (complex(np.nan, 0), complex(0, np.nan), complex(np.nan, np.nan), complex(1, 2)):
        z, w = np.full(30, 1 + 1j, kind), np.full(30, 2 - 1j, kind)
        w[20] = part
        show("quotients", quotients(z, w))
z, w = [1 + 1j] * 30, [2 - 1j] * 30
w[20] = complex(float("nan"), 0)
show("pythons_quotients", pythons_quotients(z, w))

for flags in (np.ones(12, bool), np.ones(12, np.int64), np.ones(12, np.uint8), [True] * 12):
    attempt(beside_bools, flags, 1)
    attempt(with_bools, flags, 1)
    attempt(with_bools, flags, -5)
