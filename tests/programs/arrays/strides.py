"""Windows on memory: odd and negative strides, transposes, broadcast, overlapping views."""

import numpy as np
from numpy.lib.stride_tricks import as_strided
from showing import show


def scale(a):
    for i in range(len(a)):  # native
        a[i] = a[i] * 2 + i
    return a


def add(a, b, c):
    for i in range(len(c)):  # native
        c[i] = a[i] + 2 * b[i]
    return c


def matrix(A, B):
    for i in range(A.shape[0]):  # native
        for j in range(A.shape[1]):
            B[i, j] = A[i, j] * 3 - B[i, j]
    return B


def product(A, B, C):
    for i in range(A.shape[0]):  # native
        for j in range(B.shape[1]):
            s = 0.0
            for k in range(A.shape[1]):
                s += A[i, k] * B[k, j]
            C[i, j] = s
    return C


def shift(a, b):
    # Writes through one view what it reads through the other, perhaps later, perhaps earlier.
    for i in range(len(a)):  # native
        b[i] = a[i] + 1
    return a, b


def stencil(a, b):
    for i in range(1, len(a) - 1):  # native
        b[i] = a[i - 1] + a[i] * 10 + a[i + 1] * 100
    return a, b


def stencil2d(A, B):
    for i in range(1, A.shape[0] - 1):  # native
        for j in range(1, A.shape[1] - 1):
            B[i, j] = A[i - 1, j] + A[i, j - 1] - A[i + 1, j] - A[i, j + 1]
    return A, B


def accumulate_into(rows, out):
    for row in rows:  # native
        for j in range(len(row)):
            out[j] += row[j]
    return out


def into_every(A, x):
    for i in range(A.shape[0]):  # native
        for j in range(A.shape[1]):
            A[i, j] += x[i] * (j + 1)
    return A


def into_two(a, b, n):
    for i in range(n):  # native
        a[i] = i
        b[i] = 10 * a[i]
    return a, b


def swap_halves(a, b):
    for i in range(len(a)):  # native
        a[i], b[i] = b[i], a[i]
    return a, b


base = np.arange(48.0)
for name, window in [
    ("step 2", lambda x: x[::2]),
    ("step -1", lambda x: x[::-1]),
    ("step -3", lambda x: x[::-3]),
    ("offset", lambda x: x[5:40:7]),
    ("column", lambda x: x.reshape(6, 8)[:, 3]),
    ("diagonal", lambda x: x.reshape(6, 8).ravel()[::9]),
    ("2d", lambda x: x.reshape(6, 8)[1::2, ::-2].T[0]),
]:
    for dtype in (np.float64, np.int32, np.int8, np.complex128, np.bool_):
        memory = base.astype(dtype)
        if dtype is not np.bool_:
            show(name, scale(window(memory)))
        show(name, add(window(memory), window(memory)[::-1], np.zeros(len(window(memory)))))
        show("memory", memory)
A = np.arange(40.0).reshape(5, 8)
for X in (A, A[::-1], A[:, ::-1], A[::2, 1::3], np.asfortranarray(A), A.T[::-1, ::-1].T):
    show("matrix", matrix(X.copy(order="K"), X.copy() * 0.5), matrix(X, np.ones(X.shape)))
show("matrix", matrix(A, np.ones((8, 5)).T), matrix(A.T, np.ones((8, 5))))
show("product", product(A, A.T, np.zeros((5, 5))), product(A.T, A, np.zeros((8, 8)).T))
show("product", product(A[::2, ::-1], A.T[:, 1:4], np.zeros((3, 6))[:, ::2]))
for a, b in [
    (slice(0, 40), slice(1, 41)),
    (slice(1, 41), slice(0, 40)),
    (slice(0, 40), slice(0, 40)),
    (slice(0, 20), slice(20, 40)),
    (slice(39, None, -1), slice(0, 40)),
    (slice(0, 40, 2), slice(0, 20)),
    (slice(0, 20), slice(0, 40, 2)),
    (slice(0, 40), slice(8, 48)),
    (slice(0, 40), slice(4, 44)),
    (slice(0, 40, 2), slice(1, 41, 2)),
]:
    for dtype in (np.float64, np.int16):
        memory = (base % 11).astype(dtype)
        show("shift", *shift(memory[a], memory[b]), memory)
        memory = (base % 11).astype(np.float64)
        show("stencil", *stencil(memory[a], memory[b]), memory)
        memory = (base % 7).astype(dtype)
        show("swap", *swap_halves(memory[a], memory[b]), memory)
M = np.arange(36.0).reshape(6, 6)
show("2d", *stencil2d(M.copy(), np.zeros((6, 6))))
for view in (lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[:, ::-1]):
    X = M.copy()
    show("2d", *stencil2d(X, view(X)), X)
X = np.arange(50.0)
show("2d", *stencil2d(X[:36].reshape(6, 6), X[7:43].reshape(6, 6)), X)
row = np.arange(4.0)
show("broadcast", accumulate_into(np.broadcast_to(row, (5, 4)), np.zeros(4)))
show("broadcast", add(np.broadcast_to(np.float64(3), 9), base, np.zeros(9)))
one = np.zeros(1)
show("stride 0", into_every(as_strided(one, (4, 5), (0, 0)), base), one)
line = np.zeros(9)
show("windows", into_every(as_strided(line, (5, 4), (8, 8)), base), line)
show("windows", accumulate_into(as_strided(base.copy(), (6, 4), (24, 8)), np.zeros(4)))
memory = np.zeros(20, dtype=np.int64)
show("types", *into_two(memory, memory.view(np.int32), 15), memory)
memory = np.zeros(20, dtype=np.int64)
show("types", *into_two(memory[3:], memory.view(np.int16)[5:], 15), memory)
memory = np.zeros(10)
show("types", *into_two(memory, memory.view(np.int64), 8), memory)
z = np.arange(8) * (1 + 2j)
show("parts", add(z.real, z.imag, np.zeros(8)), scale(z.imag), z)
u = bytearray(range(64))
f = np.frombuffer(u, dtype=np.float32)
show(
    "buffer", add(np.frombuffer(u, dtype=np.uint8), np.frombuffer(u, np.int8), np.zeros(64)), len(f)
)
