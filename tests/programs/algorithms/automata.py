"""Cellular automata, ants and sand."""

import numpy as np


def rule(n, steps, r):
    cells = [0] * n
    cells[n // 2] = 1
    bits = [(r >> i) & 1 for i in range(8)]
    for _ in range(steps):  # native
        new = [0] * n
        for i in range(n):
            l = cells[i - 1]
            c = cells[i]
            rr = cells[(i + 1) % n]
            new[i] = bits[4 * l + 2 * c + rr]
        cells = new
    return cells


def forest(n, steps):
    g = np.ones((n, n), dtype=np.uint8)
    g[n // 2, n // 2] = 2
    for s in range(steps):  # native
        h = g.copy()
        for i in range(n):
            for j in range(n):
                if g[i, j] == 2:
                    h[i, j] = 0
                elif g[i, j] == 1:
                    for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                        y, x = i + di, j + dj
                        if 0 <= y < n and 0 <= x < n and g[y, x] == 2:
                            h[i, j] = 2
                            break
        g = h
    return g


def langton(n, steps):
    g = [[0] * n for _ in range(n)]
    x = y = n // 2
    d = 0
    DX = (0, 1, 0, -1)
    DY = (-1, 0, 1, 0)
    for _ in range(steps):  # native
        if g[y][x] == 0:
            d = (d + 1) % 4
            g[y][x] = 1
        else:
            d = (d + 3) % 4
            g[y][x] = 0
        x = (x + DX[d]) % n
        y = (y + DY[d]) % n
    return sum(map(sum, g)), x, y, d


def sandpile(n, grains):
    a = np.zeros((n, n), dtype=np.int32)
    a[n // 2, n // 2] = grains
    again = True
    it = 0
    while again:  # native
        again = False
        it += 1
        for i in range(n):
            for j in range(n):
                if a[i, j] >= 4:
                    again = True
                    a[i, j] -= 4
                    if i > 0:
                        a[i - 1, j] += 1
                    if i < n - 1:
                        a[i + 1, j] += 1
                    if j > 0:
                        a[i, j - 1] += 1
                    if j < n - 1:
                        a[i, j + 1] += 1
    return a, it


print(
    sum(rule(101, 50, 30)),
    forest(15, 5).sum(),
    langton(20, 500),
    sandpile(9, 100)[1],
    sandpile(9, 100)[0][4],
)
