"""Arrays that begin anywhere in a line of the cache: loops on vectors begin where what they store begins one."""

import numpy as np
from showing import show


def scaled(out, a, x, low, high):
    for i in range(low, high):  # native
        out[i] = a[i] * x + 0.5


def shifted(out, a, k):
    for i in range(len(a)):  # native
        out[i + k] = a[i] + out[k]


def rows(out, a, b):
    for i in range(out.shape[0]):  # native
        for j in range(out.shape[1]):
            out[i, j] -= a[i] * b[j]


def divided(out, a, b):
    for i in range(len(out)):  # native
        out[i] = a[i] // b[i]


def placed(count, offset, dtype=np.float64):
    """So many elements that begin `offset` bytes behind the beginning of a page."""
    raw = np.zeros(count * 8 + 8192, np.uint8)
    start = -raw.ctypes.data % 4096 + offset
    return raw[start : start + count * 8].view(dtype)


source = np.arange(300.0) / 7.0
for offset in (*range(0, 72, 8), 4032, 4088):
    sums = []
    for count in (1, 8, 63, 64, 65, 71, 72, 127, 128, 129, 300):
        out = placed(300, offset)
        scaled(out, source, 1.25, 0, count)
        scaled(out, source, 0.75, count // 3, count)
        sums.append((out[0], out[count // 2], out[count - 1], float(out.sum())))
        out = placed(320, offset)
        shifted(out, source[:count], offset % 13)
        sums.append(float(out.sum()))
    show(f"offset {offset}", sums)
    ints = placed(200, offset, np.int64)
    divided(ints, np.arange(200) * 37 - 999, np.arange(1, 201))
    show("ints", ints)
    table = placed(7 * 101, offset).reshape(7, 101)
    rows(table, source[:7], source[:101])
    show("rows", float(table.sum()), table[3, 0], table[6, 100])

# Not even elements begin where they should.
askew = np.zeros(300 * 8 + 64, np.uint8)[3 : 3 + 2400].view(np.float64)
scaled(askew, source, 2.0, 0, 300)
show("askew", float(askew.sum()), askew[299])

# An event after the first of them.
out = placed(200, 16, np.int64)
below = np.arange(200) - 150
try:
    with np.errstate(divide="raise"):
        divided(out, np.arange(200), below)
except FloatingPointError as error:
    show("divided by zero", str(error), out)
