"""Functions, constants and classes of another module of the user's."""

import numpy as np
import support
from showing import show
from support import TABLE, Grid, clipped, distance
from support import scaled as twice


def calls(a):
    s = 0
    for x in a:  # native
        s += support.scaled(x) + twice(x, 2) - clipped(x * 2)
    return s


def floats(a, b):
    s = 0.0
    for i in range(len(a)):  # native
        s += distance(a[i], b[i]) * support.LIMIT
    return s


def table(n):
    s = 0
    for i in range(n):  # native
        s += TABLE[i % len(TABLE)] * support.TABLE[-1 - i % 5]
    return s


def globals_of_the_other(a):
    s = 0
    for x in a:  # native
        s += twice(x)
    return s


def changed_in_between(a):
    out = []
    for k in range(3):
        s = 0
        for x in a:  # native
            s += twice(x) * support.offset
        out.append(s)
        support.offset += 10
    support.offset = 1
    return out


def same_names(a):
    LIMIT = 2
    offset = 1000
    s = 0
    for x in a:  # native
        s += clipped(x) * LIMIT + twice(x) - offset
    return s


a = np.arange(10)
show("calls", calls(a), calls(a.tolist()), calls([0.5, 100.0]))
show("floats", floats(a, a * 0.5), floats([3.0, 5.0], [4.0, 12.0]), table(23))
show("globals", globals_of_the_other(a.tolist()), changed_in_between([1, 2]), same_names([1, 20]))
support.LIMIT = 3
show("changed", calls(a), floats([3.0], [4.0]))
support.offset = np.float32(0.5)
show("changed", calls(a), globals_of_the_other([1, 2]))
show("theirs", support.total([1, 2.5]), support.tally([1, 5, 9]), support.count)
show("grid", Grid(4).fill(), Grid(3).cells)
