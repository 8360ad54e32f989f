"""Arrays that change places in a time loop: names, attributes, rows, temporaries."""

import numpy as np
from showing import show


def jacobi(a, b, steps):
    for t in range(steps):  # native
        for i in range(1, len(a) - 1):
            b[i] = 0.5 * (a[i - 1] + a[i + 1])
        a, b = b, a
    return a, b, t


def jacobi2d(a, b, steps):
    n, m = a.shape
    for t in range(steps):  # native
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
        a, b = b, a
    return a


def jacobi_lists(a, b, steps):
    for t in range(steps):  # native
        for i in range(1, len(a) - 1):
            for j in range(1, len(a[0]) - 1):
                b[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4
        a, b = b, a
    return a, b


def by_temporary(a, b, steps):
    for t in range(steps):  # native
        for i in range(len(a)):
            b[i] = a[i] * 1.5 - a[i - 1]
        tmp = a
        a = b
        b = tmp
    return a, b, tmp is b


def three_levels(old, now, new, steps):
    for t in range(steps):  # native
        for i in range(1, len(now) - 1):
            new[i] = 2.0 * now[i] - old[i] + 0.1 * (now[i - 1] - 2.0 * now[i] + now[i + 1])
        old, now, new = now, new, old
    return old, now, new


def identity_after(a, b, steps):
    first, second = a, b
    for t in range(steps):  # native
        for i in range(len(a)):
            b[i] = a[i] + 1
        a, b = b, a
    return a is first, b is second, a is second


def edit_distance(s, t, previous, current):
    for i in range(len(s)):  # native
        current[0] = i + 1
        for j in range(len(t)):
            cost = 0 if s[i] == t[j] else 1
            best = previous[j] + cost
            if previous[j + 1] + 1 < best:
                best = previous[j + 1] + 1
            if current[j] + 1 < best:
                best = current[j] + 1
            current[j + 1] = best
        previous, current = current, previous
    return previous[len(t)], previous, current


class Field:
    def __init__(self, n):
        self.now = np.sin(np.arange(float(n)))
        self.new = np.zeros(n)
        self.steps = 0

    def run(self, steps):
        for _ in range(steps):  # native
            for i in range(1, len(self.now) - 1):
                self.new[i] = 0.3 * (self.now[i - 1] + self.now[i] + self.now[i + 1])
            self.now, self.new = self.new, self.now
            self.steps += 1


def swap_every_other(a, b, steps):
    for t in range(steps):
        for i in range(len(a)):
            b[i] += a[i] * (t + 1)
        if t % 2:
            a, b = b, a
    return a, b


def swap_rows_of_list(m, idx):
    for k in range(len(idx) - 1):
        m[idx[k]], m[idx[k + 1]] = m[idx[k + 1]], m[idx[k]]
    return m


def same_array_twice(a, steps):
    b = a
    for t in range(steps):
        for i in range(1, len(a)):
            b[i] = a[i - 1] + 1
        a, b = b, a
    return a, b, a is b


def kept_reference(a, b, steps):
    seen = a
    for t in range(steps):  # native
        for i in range(len(a)):
            b[i] = a[i] + seen[i]
        a, b = b, a
    return a, b, seen


x = np.zeros(12)
x[0], x[-1] = 1.0, -2.0
for steps in (0, 1, 4, 5):
    show("jacobi", *jacobi(x.copy(), x.copy(), steps)) if steps else None
    show("jacobi2d", jacobi2d(np.arange(20.0).reshape(4, 5) ** 2, np.zeros((4, 5)), steps))
    g = (np.arange(20.0).reshape(4, 5) ** 2).tolist()
    show("lists", *jacobi_lists(g, [row[:] for row in g], steps))
    show("identity", *identity_after(np.zeros(4), np.zeros(4), steps))
    show("identity", *identity_after([1, 2], [3, 4], steps))
    f = Field(9)
    before = f.now
    f.run(steps)
    show("field", f.now, f.new, f.steps, f.now is before)
show("by_temporary", *by_temporary(x.copy(), x.copy(), 3), *by_temporary([1.0, 2.0], [0.0, 0.0], 4))
show("three_levels", *three_levels(x.copy(), x.copy(), x.copy(), 7))
show("edit", *edit_distance("kitten", "sitting", list(range(8)), [0] * 8))
show("edit", *edit_distance(b"kitten", b"sitting", np.arange(8), np.zeros(8, dtype=np.int64)))
show("every_other", *swap_every_other(np.ones(3), np.ones(3) * 2, 5))
show("rows", swap_rows_of_list([[1], [2], [3], [4]], [0, 2, 3, 1]))
show("same", *same_array_twice(np.zeros(5), 3), *same_array_twice([0] * 5, 3))
show("kept", *kept_reference(np.arange(3.0), np.zeros(3), 5))
