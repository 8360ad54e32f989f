"""Methods that call themselves."""

import numpy as np


class Grid:
    def __init__(self, n):
        self.n = n
        self.calls = 0
        self.w = np.arange(n * n, dtype=float).reshape(n, n)

    def best(self, i, j):
        if i == 0 and j == 0:
            return self.w[0, 0]
        if i == 0:
            return self.w[i, j] + self.best(i, j - 1)
        if j == 0:
            return self.w[i, j] + self.best(i - 1, j)
        return self.w[i, j] + min(self.best(i - 1, j), self.best(i, j - 1))

    def run(self):
        t = 0.0
        for k in range(self.n):  # native
            t += self.best(k, k)
        return t


class Counted:
    def __init__(self):
        self.calls = 0
        self.deepest = 0

    def walk(self, n, depth):
        self.calls += 1
        if depth > self.deepest:
            self.deepest = depth
        if n > 1:
            self.walk(n // 2, depth + 1)
            self.walk(n - n // 2 - 1, depth + 1)

    def run(self, n):
        for i in range(n):  # native
            self.walk(i, 0)
        return self.calls, self.deepest


print(Grid(7).run(), Counted().run(200))
