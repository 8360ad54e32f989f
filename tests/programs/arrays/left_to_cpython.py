"""Arrays and lists that no kernel works on: CPython runs the loop, and the same loop is native for plain ones."""

import numpy as np
from showing import attempt, show


def read_only(a):
    for i in range(len(a)):  # cpython
        a[i] += 1.0
    return a


def swapped(a):
    s = 0
    for x in a:  # cpython
        s += x
    return s


def unaligned(a):
    for i in range(len(a)):  # cpython
        a[i] = a[i] * 2 + 1
    return a


def objects(a):
    s = 0
    for i in range(len(a)):  # cpython
        s += a[i]
        a[i] = i
    return s, a


def subclass(a):
    for i in range(len(a)):  # cpython
        a[i] = a[i - 1] + 1
    return a


def subclass_of_list(a):
    for i in range(len(a)):  # cpython
        a[i] = a[i] + 1
    return a


def half(a):
    for i in range(len(a)):  # cpython
        a[i] = a[i] * 3
    return a


def texts_and_dates(a):
    s = []
    for x in a:  # cpython
        s.append(str(x))
    return s


def zero_dimensional(a):
    for i in range(3):  # cpython
        a[()] = a[()] + i
    return a


def shared_row(L):
    for i in range(len(L)):  # cpython
        for j in range(len(L[0])):
            L[i][j] += i + 1
    return L


def large_ints(a):
    s = 0
    for x in a:  # cpython
        s += x
    return s


def holes(a):
    n = 0
    for x in a:  # cpython
        n += x is None
    return n


def plain(a):
    for i in range(len(a)):  # native
        a[i] = a[i] * 2 + 1
    return a


class Mine(np.ndarray):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 10)


class Logged(list):
    def __getitem__(self, key):
        return list.__getitem__(self, key) * 100


a = np.arange(4.0)
a.flags.writeable = False
for _ in range(3):
    attempt(read_only, a)
    show("left", a)
    attempt(swapped, np.arange(4, dtype=">i4"))
    attempt(swapped, np.arange(4, dtype=">f8"))
    memory = np.zeros(33, dtype=np.uint8)
    attempt(unaligned, memory[1:].view(np.float64))
    show("left", memory.tolist())
    attempt(objects, np.array([1, 2.5, 10**30, True, np.int8(3)], dtype=object))
    attempt(subclass, np.arange(3.0).view(Mine))
    attempt(subclass, np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]))
    attempt(subclass_of_list, Logged([1, 2, 3]))
    attempt(half, np.arange(4, dtype=np.float16))
    attempt(half, np.arange(4, dtype=np.longdouble))
    attempt(half, np.arange(4, dtype=np.complex64))
    attempt(texts_and_dates, np.array(["2020-01-01", "2021-02-03"], dtype="datetime64[D]"))
    attempt(texts_and_dates, np.array(["a", "bc"]))
    attempt(zero_dimensional, np.array(1.5))
    row = [1, 2]
    attempt(shared_row, [row, row, row])
    attempt(large_ints, [2**64, 1, -(2**70)])
    attempt(holes, [None, 1, None])
    for dtype in ("f8", "i4", "f4"):
        show("plain", plain(np.arange(4).astype(dtype)), plain(list(range(4))))
        show("aligned", plain(np.zeros(40, np.uint8)[8:].view(dtype)))
