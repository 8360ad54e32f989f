"""Loops whose first and last iterations differ from the rest: wraps, clamps, conditions on the counter."""

import numpy as np
from showing import attempt, show

SHIFTS = (0, 1, -1, 3, -3, 40, -40, 1_000)


def periodic(u, v):
    n, m = u.shape
    for i in range(n):  # native
        south = i + 1 if i < n - 1 else 0
        for j in range(m):
            east = j + 1 if j < m - 1 else 0
            v[i, j] = u[i - 1, j] + u[south, j] + u[i, j - 1] + u[i, east] - 4 * u[i, j]


def modulo(u, v):
    n, m = u.shape
    for i in range(n):  # native
        for j in range(m):
            v[i, j] = (
                u[(i + 1) % n, j] - u[i, (j + 1) % m] + u[i, (j - 1) % m] * u[i, (j - 1 + m) % m]
            )


def quotients(out):
    n = len(out)
    for j in range(n):  # native
        out[j] = (j + 1) // n + 10 * ((j - 1) // n) + 100 * ((j + n) // n) + (j + 2) % n


def rolled(a, b, shift):
    n = len(a)
    for j in range(n):  # native
        b[j] = a[(j - shift) % n]


def rolled_by_table(a, b):
    n = len(a)
    for q in range(len(SHIFTS)):  # native
        for j in range(n):
            b[q, j] = a[(j + SHIFTS[q]) % n]


def clamped(a, out, r):
    n = len(a)
    for j in range(n):  # native
        left = max(j - r, 0)
        right = min(j + r, n - 1)
        out[j] = a[right] - a[left] + (right - left)


def conditions(a, out):
    n = len(a)
    for j in range(n):  # native
        if j == 0 or j == n - 1:
            out[j] = a[j]
        elif j != 1 and j >= 2 and not j > n - 3:
            out[j] = a[j - 2] + a[j + 2]
        else:
            out[j] = a[j - 1] * a[j + 1]


def by_hand(a, out):
    n = len(a)
    for j in range(n):  # native
        before = j - 1
        if before < 0:
            before = n - 1
        after = j + 1
        if after >= n:
            after = 0
        out[j] = a[before] + 2 * a[j] + a[after]
    return before, after


def part(a, out, lo, hi):
    last = -1
    for j in range(lo, hi):  # native
        last = (j + 1) % len(a)
        out[j] = a[last] + a[j - 1]
    return last


def wrapped_store(a, out):
    for j in range(len(a)):  # native
        out[j - 1] = a[j]


def in_place(a):
    n = len(a)
    for j in range(n):  # native
        a[j] = a[j - 1] + a[(j + 1) % n]


def counts(a, out):
    n = len(a)
    for j in range(n):  # native
        out[j] = a[j - 1] * a[j] + a[(j + 1) % n]


def reciprocal(a, out):
    n = len(a)
    for j in range(n):
        out[j] = 1.0 / a[(j + 1) % n]


def list_rule(cells, steps):
    n = len(cells)
    for _ in range(steps):  # native
        new = [0] * n
        for j in range(n):
            new[j] = cells[j - 1] ^ (cells[j] | cells[(j + 1) % n])
        cells = new
    return cells


def no_width(a, out, n):
    for j in range(len(a)):
        out[j] = a[(j + 1) % n]


rng = np.random.default_rng(5)
for dtype in (np.float64, np.float32, np.int64, np.int32):
    for shape in ((1, 1), (1, 40), (2, 3), (40, 1), (3, 2), (17, 33), (33, 70)):
        u = (rng.random(shape) * 50).astype(dtype)
        for f in (periodic, modulo):
            v = np.zeros_like(u)
            f(u, v)
            show(f.__name__, np.dtype(dtype).name, shape, v.tolist())

for n in (1, 2, 3, 4, 5, 16, 17, 50, 131):
    a = rng.random(n) * 10
    for f in (conditions, by_hand, wrapped_store):
        out = np.zeros(n)
        show(f.__name__, n, attempt(f, a, out), out.tolist())
    out = np.zeros(n, dtype=np.int64)
    quotients(out)
    show("quotients", n, out.tolist())
    for shift in SHIFTS:
        out = np.zeros(n)
        rolled(a, out, shift)
        show("rolled", n, shift, out.tolist())
    for r in (0, 1, 2, 8, 100):
        out = np.zeros(n)
        clamped(a, out, r)
        show("clamped", n, r, out.tolist())
    b = np.zeros((len(SHIFTS), n))
    rolled_by_table(a, b)
    show("rolled_by_table", n, b.tolist())
    for lo, hi in ((0, n), (1, n), (n // 2, n), (0, 0), (n // 3, n - 1)):
        out = np.zeros(n)
        show("part", n, lo, hi, part(a, out, lo, hi), out.tolist())
    a = rng.random(n)
    in_place(a)
    show("in_place", n, a.tolist())

a = np.arange(60, dtype=np.int64)
out = np.zeros_like(a)
counts(a, out)
show("counts", out.tolist())
# The one product that leaves 64 bits stands before, in and behind the interior.
for at in (0, 1, 30, 58, 59):
    a = np.full(60, 3, dtype=np.int64)
    a[at] = a[at - 1] = 2**40
    out = np.zeros_like(a)
    counts(a, out)
    show("counts", at, out.tolist())
for at in (0, 1, 30, 59):
    a = [1.5] * 60
    a[at] = 0.0
    out = [0.0] * 60
    show("reciprocal", at, attempt(reciprocal, a, out), out)
show("list_rule", list_rule([int(x) for x in rng.integers(0, 2, 77)], 20))
for n in (0, -3, 7, 61, 2**62):
    out = np.zeros(60)
    show("no_width", n, attempt(no_width, np.arange(60.0), out, n), out.tolist())
for shift in (2**63 - 1, -(2**63), 2**62):
    out = np.zeros(40)
    show("far", shift, attempt(rolled, np.arange(40.0), out, shift), out.tolist())
