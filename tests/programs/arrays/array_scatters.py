"""Arrays of ints as subscripts of what is stored, in loops: `x[places] = y`."""

import numpy as np

rng = np.random.default_rng(13)


def show(*values):
    for v in values:
        print(type(v).__name__, np.asarray(v).dtype, np.asarray(v).tolist())


def ordered(x, p, n):
    for k in range(n):  # native
        y = x * 0.5
        x[p] = y
        x[p[:3]] = 0.25 * k
    return x


def same_places(x, p, v, n):
    for k in range(n):  # native
        x[p] = v
        x[p] += 1.0
        x[p] *= v
    return x


def itself(x, p, n):
    for k in range(n):  # native
        x[p] = x[: len(p)]
        x[p] = x[p[::-1]]
    return x


def places_change(p, n):
    for k in range(n):  # native
        p[p] = p
        p[p] += 1
        p %= len(p)
    return p


def rows(a, p, v, n):
    for k in range(n):  # native
        a[k % a.shape[0], p] = v
        a[p, 0] -= v
    return a


def into_ints(a, p, v, n):
    for k in range(n):
        a[p] = v
    return a


def too_far(x, p, n):
    for k in range(n):  # native
        x[p + k] = float(k)
    return x


p = rng.permutation(9)
show(ordered(rng.random(9), p, 5), ordered(rng.random(9), p - 9, 5))
twice = np.array([1, 1, 3, -1, 3, 0])
show(same_places(np.zeros(5), twice, rng.random(6), 4))
show(same_places(np.zeros(5, np.float32), twice.astype(np.uint8) % 5, rng.random(6), 4))
show(itself(rng.random(9), np.array([3, 4, 4, 0, 1]), 5))
show(places_change(rng.integers(0, 12, 12), 5))
show(places_change(rng.integers(0, 12, 12).astype(np.int32), 5))
show(rows(rng.random((6, 6)), np.array([5, 0, 0, 2]), rng.random(4), 7))
for v in (2.75, np.array([1.5, -2.5, 3.0, 0.0, 9.0, 8.0]), 2**40, np.array([1e30] * 6)):
    for kind in (np.int64, np.int16):
        try:
            with np.errstate(invalid="ignore"):
                show(into_ints(np.zeros(5, kind), twice, v, 2))
        except OverflowError as error:
            print(error)
x = np.zeros(8)
try:
    too_far(x, np.array([0, 5, -3]), 6)
except IndexError as error:
    print(error)
show(x)
try:
    show(same_places(np.zeros(5), twice, np.zeros(4), 2))
except ValueError as error:
    print(error)
show(ordered(np.zeros(0), np.zeros(0, int), 2))
