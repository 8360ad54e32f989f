"""Functions that call themselves, beside lists and arrays that all their calls share."""

import numpy as np


def dfs(adj, seen, u):
    seen[u] = 1
    n = 1
    for v in adj[u]:
        if not seen[v]:
            n += dfs(adj, seen, v)
    return n


def graph():
    n = 60
    adj = [[(i * 7 + k * 13) % n for k in range(3)] for i in range(n)]
    total = 0
    for s in range(n):  # native
        seen = [0] * n
        total += dfs(adj, seen, s) * (s + 1)
    return total


def fill(g, y, x, c):
    if y < 0 or x < 0 or y >= len(g) or x >= len(g[0]):
        return 0
    if g[y][x] != 0:
        return 0
    g[y][x] = c
    n = 1
    for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        n += fill(g, y + dy, x + dx, c)
    return n


def flood():
    g = [[1 if (i * i + j * 3) % 5 == 0 else 0 for j in range(20)] for i in range(20)]
    out = []
    c = 2
    for i in range(20):  # native
        for j in range(20):
            k = fill(g, i, j, c)
            if k:
                out.append(k)
                c += 1
    return out, sum(map(sum, g))


def place(n, row, cols, d1, d2):
    if row == n:
        return 1
    count = 0
    for c in range(n):
        if cols[c] or d1[row + c] or d2[row - c + n]:
            continue
        cols[c] = d1[row + c] = d2[row - c + n] = True
        count += place(n, row + 1, cols, d1, d2)
        cols[c] = d1[row + c] = d2[row - c + n] = False
    return count


def queens():
    res = []
    for n in range(1, 8):
        cols, d1, d2 = [False] * n, [False] * (2 * n), [False] * (2 * n + 1)
        res.append(place(n, 0, cols, d1, d2))
    return res


def qsort(a, lo, hi):
    if lo >= hi:
        return
    p = a[(lo + hi) // 2]
    i, j = lo, hi
    while i <= j:
        while a[i] < p:
            i += 1
        while a[j] > p:
            j -= 1
        if i <= j:
            a[i], a[j] = a[j], a[i]
            i += 1
            j -= 1
    qsort(a, lo, j)
    qsort(a, i, hi)


def sorts():
    out = []
    for r in range(5):  # native
        a = [(i * 7919 + r) % 1009 for i in range(300)]
        qsort(a, 0, len(a) - 1)
        out.append(a[r * 10])
    return out, a == sorted(a)


def find(a, x, lo, hi):
    if lo > hi:
        return None
    m = (lo + hi) // 2
    if a[m] == x:
        return m
    if a[m] < x:
        return find(a, x, m + 1, hi)
    return find(a, x, lo, m - 1)


def search():
    a = [3 * i for i in range(200)]
    hit = miss = 0
    for x in range(700):  # native
        k = find(a, x, 0, len(a) - 1)
        if k is None:
            miss += 1
        else:
            hit += k
    return hit, miss


def inner():
    vals = [2, 3, 5, 8, 13, 21]

    def ways(rest, k):
        if rest == 0:
            return 1
        if rest < 0 or k == len(vals):
            return 0
        return ways(rest - vals[k], k) + ways(rest, k + 1)

    return [ways(n, 0) for n in range(60)]


def memo():
    cache = {}

    def f(n):
        if n < 2:
            return n
        if n in cache:
            return cache[n]
        r = f(n - 1) + f(n - 2)
        cache[n] = r
        return r

    t = 0
    for i in range(60):  # native
        t += f(i)
    return t, len(cache)


def gen(n):
    if n == 0:
        return 1
    return sum(gen(k) for k in range(n))


def gens():
    s = 0
    for n in range(12):  # native
        s += gen(n)
    return s


def merge(a, b, lo, hi):
    if hi - lo < 2:
        return
    mid = (lo + hi) // 2
    merge(a, b, lo, mid)
    merge(a, b, mid, hi)
    i, j = lo, mid
    for k in range(lo, hi):
        if j >= hi or i < mid and a[i] <= a[j]:
            b[k] = a[i]
            i += 1
        else:
            b[k] = a[j]
            j += 1
    for k in range(lo, hi):
        a[k] = b[k]


def merges():
    data = np.random.default_rng(3).random((5, 200))
    sums = []
    for r in range(5):  # native
        a = data[r] * 2.0
        b = np.empty_like(a)
        merge(a, b, 0, len(a))
        sums.append(float(a[r * 10]))
    return sums


def determinant(m, used, row):
    if row == len(m):
        return 1.0
    t, sign = 0.0, 1.0
    for c in range(len(m)):
        if used[c]:
            continue
        used[c] = True
        t += sign * m[row, c] * determinant(m, used, row + 1)
        used[c] = False
        sign = -sign
    return t


def determinants():
    m = (np.arange(36.0).reshape(6, 6) * 7.3) % 5
    used = [False] * 6
    total = determinant(m, used, 6)
    kinds = [type(total)]
    for k in range(4):  # native
        total += determinant(m, used, k)
    kinds.append(type(total))
    return total, kinds


print(determinants())
print(graph(), flood(), queens(), sorts(), search(), inner(), memo(), gens(), merges())
