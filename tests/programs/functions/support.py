"""A module of the user's own: functions, constants and loops that scripts import."""

import math

LIMIT = 12
TABLE = (2, 3, 5, 7, 11)
count = 0


def scaled(x, factor=3):
    return x * factor + offset


offset = 1


def distance(x, y):
    return math.sqrt(x * x + y * y)


def clipped(x):
    if x > LIMIT:
        return LIMIT
    return x


def total(values):
    s = 0
    for v in values:
        s += v
    return s


def tally(values):
    global count
    for v in values:
        if v > LIMIT:
            count += 1
    return count


class Grid:
    def __init__(self, n):
        self.n = n
        self.cells = [[0] * n for _ in range(n)]

    def fill(self):
        for i in range(self.n):
            for j in range(self.n):
                self.cells[i][j] = i * j + offset
        return self.cells
