"""Arrays that are not plain ones: what kernels cannot take, CPython runs, with its own answers and errors."""

import os
import tempfile

import numpy as np
from showing import attempt, show


def scale(a, f):
    for i in range(len(a)):
        a[i] = a[i] * f + i
    return a


def total(a):
    s = 0
    for x in a:
        s += x
    return s


def rows(a):
    s = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += a[i, j]
            a[i, j] = s % 7
    return s, a


def shift(a, b):
    for i in range(len(b) - 1):
        b[i + 1] = a[i] + 1
    return b


class Mine(np.ndarray):
    seen = 0

    def __getitem__(self, key):
        Mine.seen += 1
        return super().__getitem__(key)


class Counted(list):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 10)


class Sequence:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError("past the end")
        return i * i

    def __setitem__(self, i, value):
        print("set", i, value)

    def __repr__(self):
        return f"Sequence({self.n})"


read_only = np.arange(4.0)
read_only.flags.writeable = False
attempt(scale, read_only, 2.0)
print(read_only)
attempt(total, read_only)

mine = np.arange(5.0).view(Mine)
attempt(scale, mine, 2.0)
attempt(total, mine)
print(type(mine).__name__, Mine.seen)
attempt(scale, Counted([1, 2, 3]), 2)
attempt(scale, Sequence(3), 2)
attempt(total, Sequence(5))

masked = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
print(scale(masked, 2.0), total(masked))
matrix = np.matrix([[1.0, 2.0], [3.0, 4.0]])
print(rows(matrix))
print(total(np.matrix([[1, 2]])))

swapped = np.arange(5, dtype=">i4")
attempt(scale, swapped, 3)
attempt(total, np.arange(4, dtype=">f8"))
record = np.zeros(3, dtype=[("x", "f8"), ("y", "i4")])
record["x"] = [1, 2, 3]
attempt(scale, record["x"], 2.0)
print(record)
attempt(total, record)
attempt(scale, record, 2)
attempt(scale, np.array(5.0), 2)
attempt(total, np.array(5.0))
objects = np.array([1, 2.5, 10**30, True], dtype=object)
attempt(scale, objects, 2)
attempt(total, objects)
attempt(total, np.array(["a", "b"]))
attempt(total, np.array(["2020-01-01"], dtype="datetime64[D]"))
attempt(total, np.array([1, 2], dtype="timedelta64[s]"))
attempt(scale, np.arange(4, dtype=np.float16), 2)
attempt(scale, np.arange(4, dtype=np.longdouble), 2)
attempt(scale, np.arange(4, dtype=np.clongdouble), 2)
attempt(total, np.arange(4, dtype=np.longlong))
attempt(scale, np.arange(4, dtype=np.ulonglong), 2)

unaligned = np.frombuffer(bytearray(33), dtype=np.uint8)[1:].view(np.float64)
attempt(scale, unaligned, 2.0)
big = np.arange(20.0)
attempt(scale, big[::-2], 2.0)
print(big)
attempt(shift, big[:10], big[5:15])
attempt(shift, big[5:15], big[:10])
attempt(shift, big[::-1], big)
print(big)
grid = np.arange(16.0).reshape(4, 4)
attempt(rows, grid.T)
attempt(rows, grid[::-1, ::2])
attempt(rows, np.broadcast_to(np.arange(3.0), (3, 3)))
print(grid)
same = np.lib.stride_tricks.as_strided(np.zeros(7), (4, 4), (8, 8))
attempt(rows, same)
zero = np.lib.stride_tricks.as_strided(np.arange(2.0), (5,), (0,))
attempt(scale, zero, 2.0)
attempt(rows, np.zeros((0, 3)))
attempt(rows, np.zeros((3, 0)))
attempt(total, np.zeros(0))
attempt(total, [])

with tempfile.TemporaryDirectory() as folder:
    name = os.path.join(folder, "data")
    mapped = np.memmap(name, dtype=np.float64, mode="w+", shape=(6,))
    attempt(scale, mapped, 2.0)
    mapped.flush()
    print(np.fromfile(name))
    plain = np.asarray(mapped)
    attempt(scale, plain, 0.5)
    mapped.flush()
    print(np.fromfile(name))
    del mapped, plain
    readable = np.asarray(np.memmap(name, dtype=np.float64, mode="r"))
    attempt(scale, readable, 2.0)
    attempt(total, readable)

ragged = [[1, 2], [3], []]


def ragged_sum(L):
    s = 0
    for row in L:
        for x in row:
            s += x
    for i in range(len(L)):
        for j in range(len(L[i])):
            L[i][j] += s
    return s, L


attempt(ragged_sum, ragged)
attempt(ragged_sum, [[1, 2], (3, 4)])
attempt(ragged_sum, [[1, 2], "ab"])
attempt(ragged_sum, [[1, 2], None])
attempt(ragged_sum, [[1, [2]], [3, 4]])
shared = [1, 2, 3]
attempt(ragged_sum, [shared, shared])
attempt(scale, [1, None, 3], 2)
attempt(scale, [1, "x", 3], 2)
attempt(scale, [1, 2j, 3.0], 2)
attempt(scale, [True, False], 2)
attempt(scale, (1, 2), 2)
attempt(scale, "ab", 2)
attempt(scale, {0: 1, 1: 2}, 2)
attempt(scale, bytearray(b"abc"), 1)
attempt(scale, bytearray(b"abc"), 3)
attempt(scale, b"abc", 1)
print(scale(memoryview(bytearray(b"abc")), 1)[2])
attempt(scale, range(4), 1)
attempt(scale, None, 1)
attempt(scale, [10**18, 10**19, 10**20], 3)
recursive = [1, 2]
recursive.append(recursive)
attempt(total, recursive[:2])
show("scalars", total([np.float32(1.5), 2, np.int8(3)]), total([np.int8(100), np.int8(100), 1.0]))
