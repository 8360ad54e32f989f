"""Arrays of one to eight dimensions, every element type, reading and writing."""

import numpy as np
from showing import show


def rank1(a):
    s = 0
    for i in range(a.shape[0]):  # native
        s = s * 2 + a[i]
        a[i] = i
    return a, s


def rank2(a):
    s = 0
    for i in range(a.shape[0]):  # native
        for j in range(a.shape[1]):
            s += a[i, j] * (i + 2 * j)
            a[i, j] = i + j
    return a, s


def rank3(a):
    s = 0
    for i in range(a.shape[0]):  # native
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                s += a[i, j, k] * (i + 2 * j + 3 * k)
                a[i, j, k] += 1
    return a, s


def rank4(a):
    n0, n1, n2, n3 = a.shape
    s = 0
    for i in range(n0):  # native
        for j in range(n1):
            for k in range(n2):
                for p in range(n3):
                    s += a[i, j, k, p]
                    a[i, j, k, p] = s
    return a, s


def rank5(a):
    s = 0
    for i in range(a.shape[0]):  # native
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                for p in range(a.shape[3]):
                    for q in range(a.shape[4]):
                        s += a[i, j, k, p, q] * q
                        a[i, j, k, p, q] = s
    return a, s


def rank6(a):
    s = 0
    for i in range(a.shape[0]):  # native
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                for p in range(a.shape[3]):
                    for q in range(a.shape[4]):
                        for r in range(a.shape[5]):
                            s += a[i, j, k, p, q, r] * (q + r)
                            a[i, j, k, p, q, -1 - r] = s
    return a, s


def rank7(a):
    s = 0
    for i in range(a.shape[0]):  # native
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                for p in range(a.shape[3]):
                    for q in range(a.shape[4]):
                        for r in range(a.shape[5]):
                            for t in range(a.shape[6]):
                                s += a[i, j, k, p, q, r, t] * (q + t)
                                a[i, j, k, p, q, r, t] = s
    return a, s


def rank8(a):
    s = 0
    for i in range(a.shape[0]):  # native
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                for p in range(a.shape[3]):
                    for q in range(a.shape[4]):
                        for r in range(a.shape[5]):
                            for t in range(a.shape[6]):
                                for u in range(a.shape[7]):
                                    s += a[i, j, k, p, q, r, t, u] * (q + u)
                                    a[i, j, k, p, q, r, t, u] = s - i
    return a, s


def rank9(a):
    s = 0
    for i in range(2):
        s += a[i, 0, 0, 0, 0, 0, 0, 0, 0]
    return s


def deep_list(a):
    s = 0
    for i in range(len(a)):  # native
        for j in range(len(a[0])):
            for k in range(len(a[0][0])):
                for p in range(len(a[0][0][0])):
                    s += a[i][j][k][p]
                    a[i][j][k][p] = s
    return a, s


def rows_of_rank4(a):
    s = 0
    for block in a:  # native
        for plane in block:
            for row in plane:
                for x in row:
                    s += x
    return s


SHAPES = [(13,), (3, 5), (2, 3, 4), (2, 3, 2, 3), (2, 1, 3, 2, 2), (2, 2, 1, 2, 2, 2),
          (1, 2, 2, 2, 1, 2, 2), (2, 2, 1, 2, 2, 2, 1, 2)]  # fmt: skip
LOOPS = [rank1, rank2, rank3, rank4, rank5, rank6, rank7, rank8]
for shape, loop in zip(SHAPES, LOOPS):
    size = int(np.prod(shape))
    for dtype in (np.float64, np.int64, np.float32):
        a = (np.arange(size) % 7).astype(dtype).reshape(shape)
        show(loop.__name__, *loop(a))
    b = (np.arange(size) % 5).astype(np.float64).reshape(shape[::-1]).T
    show("transposed", *loop(b))
    if len(shape) > 1:
        c = np.zeros([2 * n for n in shape])[tuple([slice(None, None, -2)] * len(shape))]
        c[...] = b
        show("strided", *loop(c))
show("rank9", rank9(np.ones((2,) + (1,) * 8)))
show("list", *deep_list(np.arange(24).reshape(2, 3, 2, 2).tolist()))
show("list", *deep_list((np.arange(16) * 0.5).reshape(2, 2, 2, 2).tolist()))
show("rows", rows_of_rank4(np.arange(24.0).reshape(2, 3, 2, 2)))
show("rows", rows_of_rank4(np.arange(24).reshape(2, 3, 2, 2).tolist()))
