"""Checks before a loop, once for several operations, or beside a condition: at their very ends."""

import numpy as np
from showing import show

LEAST, MOST = -(2**63), 2**63 - 1


def butterflies(x, w):
    n = len(x)
    half = 1
    while half < n:  # native
        for begin in range(0, n, 2 * half):
            for k in range(half):
                u, v = x[begin + k], x[begin + k + half] * w[k]
                x[begin + k], x[begin + k + half] = u + v, u - v
        half *= 2


def to_and_fro(a, first, last, step, by):
    count = 0
    for row in range(len(a)):  # native
        for j in range(first, last, step):
            a[row][j + by] += 1.0
            if a[row][j + by] > 1.5:
                count += 1
    return count


def products(a, n, m, k):
    total = 0.0
    for i in range(n):  # native
        for j in range(m):
            total += a[j * k + i]
            a[j * k + i] = total
    return total


def orbits(starts, lengths, summits):
    for i in range(len(starts)):  # native
        x = int(starts[i])
        top = x
        steps = 0
        while x != 1:
            if x % 2 == 0:
                x //= 2
            else:
                x = 3 * x + 1
                if x > top:
                    top = x
            steps += 1
        lengths[i] = steps
        summits[i] = top


def from_counter(first, last, out):
    for start in range(first, last):  # native
        x = start
        steps = 0
        while x != 1:
            if x % 2 == 0:
                x //= 2
            else:
                x = 5 * x + 1 if steps > 40 else 3 * x + 1
            steps += 1
            if steps > 200:
                x = 1
        out[start - first] = steps


def chains(xs, out):
    for i in range(len(xs)):  # native
        x = int(xs[i])
        out[i] = (x * 3 + 1) - 2
    return out


def falling(xs, out):
    for i in range(len(xs)):  # native
        out[i] = 7 - (int(xs[i]) + 5) * -2


def narrow(xs, out):
    one, three = xs.dtype.type(1), xs.dtype.type(3)
    for i in range(len(xs)):  # native
        out[i] = xs[i] * three + one


def chosen(xs, ys, out):
    for i in range(len(xs)):  # native
        x = xs[i]
        out[i] = x * (ys[i] if x % 3 == 0 else ys[i] - 1)


def counted(xs, start):
    up = down = start
    for i in range(len(xs)):  # native
        if xs[i] > 0.5:
            up += 1
        else:
            down -= 1
    return up, down


def attempt(f, *args):
    """What it gives or raises, and what its arrays hold afterwards."""
    try:
        result = f(*args)
    except (IndexError, OverflowError) as error:
        result = f"{type(error).__name__}: {error}"
    arrays = [a for a in args if isinstance(a, (list, np.ndarray))]
    show(f.__name__, result, *arrays)


for n in (1, 2, 3, 8, 48, 64, 100):
    for m in (1, n // 2, n):
        attempt(butterflies, np.arange(float(n)), np.linspace(1.0, 2.0, max(m, 1)))
for first, last, step in [
    (0, 40, 1),
    (39, -1, -1),
    (0, 40, 3),
    (37, -4, -3),
    (1, 41, 1),
    (-40, 0, 1),
    (-41, 40, 1),
    (40, 0, 1),
    (5, 5, 7),
    (0, 41, 39),
    (0, MOST, MOST // 2),
]:
    for by in (0, 1, -1, 39, -40, MOST, LEAST):
        attempt(to_and_fro, np.ones((3, 40)), first, last, step, by)
    attempt(to_and_fro, [[1.0] * 40 for _ in range(3)], first, last, step, 0)
for n, m, k in [
    (4, 30, 4),
    (4, 30, 5),
    (5, 30, 4),
    (4, 31, 4),
    (4, 30, -4),
    (4, 30, 0),
    (0, 30, 9),
]:
    attempt(products, np.arange(120.0), n, m, k)
attempt(products, np.arange(120.0), 2, 30, MOST)
attempt(products, np.arange(120.0), 1, 2, LEAST)

third = MOST // 3
for near in (third - 1, third, third + 1, -third - 1, -third, LEAST // 3 - 1, LEAST, MOST):
    values = [5, 7, near, 9, 27]
    size = len(values)
    attempt(chains, np.array(values), [0] * size)
    attempt(falling, np.array([v // 2 for v in values]), [0] * size)
    attempt(falling, np.array(values), [0] * size)
odd = third | 1
for values in (
    [27, 97, 871] * 20,
    [27, odd - 2, 9] * 9,
    [27, 1, odd, 9] * 9,
    [MOST, 5],
    [2**62, 3],
):
    size = len(values)
    attempt(orbits, np.array(values), np.zeros(size, dtype=np.int64), np.zeros(size))
    attempt(orbits, np.array(values), np.zeros(size, dtype=np.int8), np.zeros(size, dtype=np.int64))
    attempt(orbits, values, [0] * size, [0] * size)
attempt(from_counter, 1, 400, np.zeros(400, dtype=np.int16))
attempt(from_counter, odd - 40, odd + 40, [0] * 80)
for kind in (np.int8, np.uint8, np.int32, np.int64):
    ends = np.iinfo(kind)
    for near in (ends.max // 3, ends.max // 3 + 1, ends.min // 3, ends.min // 3 - 1):
        near = max(near, int(ends.min))
        attempt(narrow, np.array([1, 2, near, 4] * 9, dtype=kind), np.zeros(36, dtype=kind))
for least in (0, 1):
    ys = np.full(40, np.iinfo(np.int32).min + least, dtype=np.int32)
    for xs in (np.arange(40) * 3, np.ones(40), np.arange(40) % 2):
        attempt(chosen, xs.astype(np.int32), ys, np.zeros(40, dtype=np.int64))
floats = np.random.default_rng(5).random(300)
for start in (0, MOST - 10, LEAST + 10, MOST - 1000):
    attempt(counted, floats, start)
