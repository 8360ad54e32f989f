"""Lists that loops make: rows of dynamic programming, new states, counts, small vectors, grids."""

import math

import numpy as np
from showing import attempt, show


def lcs(a, b):
    n, m = len(a), len(b)
    prev = [0] * (m + 1)
    for i in range(1, n + 1):  # native throughout
        curr = [0] * (m + 1)
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                curr[j] = prev[j - 1] + 1
            else:
                curr[j] = max(prev[j], curr[j - 1])
        prev = curr
    return prev, curr


def edit_distance(s, t):
    row = list(range(len(t) + 1))
    for i in range(1, len(s) + 1):  # native throughout
        new = [i] * (len(t) + 1)
        for j in range(1, len(t) + 1):
            cost = 0 if s[i - 1] == t[j - 1] else 1
            new[j] = min(new[j - 1] + 1, row[j] + 1, row[j - 1] + cost)
        row = new
    return row


def diffuse(u, steps):
    n = len(u)
    for _ in range(steps):  # native throughout
        new = u[:]
        for i in range(1, n - 1):
            new[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u = new
    return u


def by_comprehension(u, steps):
    n = len(u)
    for _ in range(steps):  # native throughout
        u = [0.5 * u[k] + 0.25 * (u[k - 1] + u[(k + 1) % n]) for k in range(n)]
    return u


def life(grid, steps):
    h, w = len(grid), len(grid[0])
    for _ in range(steps):  # native throughout
        new = [[0] * w for _ in range(h)]
        for y in range(h):
            for x in range(w):
                c = 0
                for dy in (-1, 0, 1):
                    for dx in (-1, 0, 1):
                        if dx or dy:
                            c += grid[(y + dy) % h][(x + dx) % w]
                new[y][x] = 1 if c == 3 or (c == 2 and grid[y][x]) else 0
        grid = new
    return grid


def jacobi(grid, steps):
    h, w = len(grid), len(grid[0])
    for _ in range(steps):  # native throughout
        new = [row[:] for row in grid]
        for y in range(1, h - 1):
            row = new[y]
            for x in range(1, w - 1):
                row[x] = 0.25 * (grid[y - 1][x] + grid[y + 1][x] + grid[y][x - 1] + grid[y][x + 1])
        grid = new
    return grid, new


def product(A, B):
    n = len(A)
    C = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += A[i][k] * B[k][j]
            C[i][j] = s
    return C


def power(A, count):
    P = [[float(i == j) for j in range(len(A))] for i in range(len(A))]
    for _ in range(count):  # native throughout
        P = product(A, P)
    return P


def fullest(xs, bins):
    best, where = 0, -1
    for shift in range(7):  # native throughout
        counts = [0] * bins
        for x in xs:
            counts[(x * shift + 3) % bins] += 1
        top = max(counts)
        if top > best:
            best, where = top, shift
    return best, where, counts


def ints_and_floats(n, m):
    s = 0.0
    for r in range(n):  # native throughout
        row = [0] * m
        for j in range(r % 2, m, 2):
            row[j] = 0.5 * j - r
        for x in row:
            s += x
    return s, row


def vectors(n):
    p, v = [0.0, 1.0, 2.0], [0.5, 0.0, -0.5]
    for k in range(n):  # native throughout
        a = [-p[0], -p[1] * 0.5, -p[2] + k]
        v = [v[d] + 0.01 * a[d] for d in range(3)]
        p = [p[d] + 0.01 * v[d] for d in range(3)]
    return p, v, a


def scaled(u, by):
    out = [0.0] * len(u)
    for k in range(len(u)):
        out[k] = u[k] * by
    return out


def called(u, n):
    for k in range(n):  # native throughout
        u = scaled(u, 1.0 + 0.125 * k)
    return u


def norm(v):
    return math.sqrt(v[0] ** 2 + v[1] ** 2)


def handed_over(n):
    s = 0.0
    for k in range(n):  # native throughout
        v = [0.5 * k, 1.0]
        v[1] += norm(v)
        s += norm(v)
    return s, v


def negative(n):
    t = 0
    for k in range(5):  # native throughout
        a = [k] * n
        t += len(a)
        for x in a:
            t += x
    return t, a


def from_elsewhere(a, xs):
    s = 0.0
    for k in range(len(xs)):  # native throughout
        mine = list(xs)
        mine[k] = a[k] * 2
        s += mine[0] + mine[k]
    return s, mine


def second_names(n):
    a = [0, 0, 0]
    for k in range(n):
        b = a
        a = [k, k + 1, k + 2]
        if k == 3:
            a[0] = 50
    return a, b


def two_names_of_one(n):
    for k in range(n):  # native
        a = [k, 1, 2]
        b = a
        if k % 4 == 3:
            b[1] = 7
    return a, b


def rows_with_names(n):
    for k in range(n):  # native
        g = [[k, 1, 2] for _ in range(3)]
        row = g[k % 3]
        row[1] = 9
    return g, row


def late_event(xs, n):
    a = [0] * len(xs)
    for k in range(n):  # native
        b = [xs[j] + k + a[j] for j in range(len(xs))]
        a = b
        xs[b[0] % 5] += 1
    return a, b


def raises_in_between(xs):
    a = [0, 0]
    for k in range(9):  # native
        a = [k, xs[k]]
    return a


def into_itself(n):
    a = [1, 2, 3]
    for _ in range(n):
        for x in a:
            a = [x, x + 1, x + 2]
    return a


def over_what_was(g, c):
    s = 0
    for row in g:
        for x in row:
            c[x % 5] += 1
            s += x
        g = [[x, 1, 2] for x in range(3)]
    return s, g


def grows(n):
    a = [0]
    for k in range(n):
        a += [k]
    return a


def joined(n):
    for k in range(n):
        a = [k] + [1, 2]
        a *= 2
    return a


def one_row(n):
    for k in range(n):
        g = [[0] * 3] * 3
        g[0][1] = k
    return g


def compared(n):
    s = 0
    for k in range(n):
        a = [k, 1]
        if a == [3, 1] or a < [1, 0]:
            s += 1
        s += a.index(1) + 1 in a
    return s


def nan_found(n):
    s, x = 0, float("nan")
    for _ in range(n):
        a = [x, 1.0]
        s += x in a
    return s, a


def nan_kept(x, n):
    for _ in range(n):
        a = [x, 1.0]
    return a


def numpy_scalars(xs):
    for k in range(3):
        a = [xs[k], xs[k] + 1]
    return a


def wide(n):
    a = [0]
    for k in range(n):  # native
        a = [k << 40, 3**k]
    return a


show("lcs", lcs("ABCBDABXYZZY" * 3, "BDCABAYYZX" * 2))
show("edit_distance", edit_distance("kitten sitting", "sitting kitten"))
u = [math.sin(0.3 * k) for k in range(40)]
kept = list(u)
show("diffuse", diffuse(u, 25), u == kept)
show("by_comprehension", by_comprehension(u, 25), u == kept)
show("no steps", diffuse(u, 0) == u, by_comprehension([], 3))
grid = [[(3 * y + 5 * x * x) % 7 % 2 for x in range(13)] for y in range(11)]
show("life", life(grid, 9))
plate = [[float(y == 0) for _ in range(9)] for y in range(8)]
show("jacobi", *jacobi(plate, 12), plate)
show("power", power([[0.5, 0.25, 0.0], [0.25, 0.5, 0.25], [0.0, 0.25, 0.5]], 6))
show("fullest", *fullest([k * k % 31 for k in range(90)], 8))
show("ints_and_floats", *ints_and_floats(6, 9))
show("vectors", *vectors(40))
show("called", called(u, 5))
show("handed_over", *handed_over(30))
show("negative", negative(4), negative(0), negative(-3))
show("from_elsewhere", from_elsewhere([1.0] * 6, [0.5 * k for k in range(6)]))
show("from_elsewhere", from_elsewhere([1] * 6, (5, 4, 3, 2, 1, 0)))
a, b = second_names(9)
a[1] = -1
show("second_names", a, b)
a, b = second_names(1)
b[1] = -1
show("second_names", a, b)
a, b = two_names_of_one(10)
a[0] = -1
show("two_names_of_one", a, b)
g, row = rows_with_names(8)
row[0] = -1
show("rows_with_names", g, row)
attempt(late_event, [3, 1, 4, 1, 5], 9)
attempt(late_event, [3, 1, 4], 9)
attempt(raises_in_between, [5, 4, 3, 2])
show("into_itself", into_itself(4))
show("over_what_was", over_what_was([[1, 2, 3], [4, 5, 6], [8, 1, 3]], [0] * 4 + [2**63 - 1]))
show("grows", grows(5))
show("joined", joined(5))
show("one_row", one_row(5))
show("compared", compared(5))
show("nan_found", *nan_found(5))
show("nan_kept", nan_kept(float("nan"), 5), nan_kept(1.0, 5))
show("numpy_scalars", numpy_scalars(np.arange(3.0)))
attempt(wide, 30)
attempt(wide, 60)


def taken_apart(n):
    s = 0.0
    for k in range(n):  # native throughout
        x, y = [k + 1.0, 0.5 * k]
        w = [0.25, 0.5, 0.25][k % 3]
        for v in [x * j for j in range(3)]:
            s += v * w
        s += max([x, y]) + len([0] * 3) + scaled([x, y, 1.0], 0.5)[k % 3] - scaled([y], 2)[0]
    return s, x, y, v


def summed(xs):
    s = 0
    for k in range(4):  # native throughout
        s += sum([x * k for x in xs]) + sum([k] * 3) + min([k, 2, s])
    return s


show("taken_apart", *taken_apart(12))
show("summed", summed([3, 1, 4]))


def differences(u, steps):
    total = 0.0
    for _ in range(steps):  # native throughout
        total += sum(abs(b - a) for a, b in zip(u, u[1:]))
        u = [x * 0.5 for x in u]
    return total, u[:2]


def windows(u, a, b):
    out = 0
    for k in range(5):  # native
        part = u[a:b]
        out += k * len(part) + sum(part[::2]) - sum(u[-3:]) + sum(u[:-2])
        part[0] = 100
    return out, part, u[:3]


def ends(u, n):
    return [sum(u[:n]), sum(u[n:]), len(u[2:n]), [x for x in u[1::3]], [x for x in u[-n:]]]


show("differences", differences([k * k % 7 * 0.5 for k in range(40)], 6))
for bounds in ((0, 4), (2, 30), (5, 6), (1, 2)):
    show("windows", bounds, windows(list(range(10)), *bounds))
show("windows", attempt(windows, list(range(10)), 5, 2), attempt(windows, list(range(4)), -2, 9))
for n in (0, 1, 3, 9, 12, -1, -4):
    show("ends", n, ends(list(range(9)), n))
