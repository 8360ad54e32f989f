"""Loops around a `while` that computes ints from one another alone: it may run by lanes, and values may leave 64 bits in
some of them, in any iteration."""

import numpy as np
from showing import attempt, show

BIG = 2**63 - 1
STARTS = [7, 27, 97, 871, 6171, 77031, 2**40 + 1, 2**61 + 7, 2**62 + 3, BIG, BIG - 1, 1, 2, 3]


def collatz(starts, table, steps):
    for i in range(len(starts)):  # native
        x = starts[i]
        k = 0
        while x != 1:
            if x % 2 == 0:
                x = x // 2
            else:
                x = 3 * x + 1
            k += 1
        steps[i] = k
    return steps


def counted(starts, table, out):
    # How far it got is a subscript, and so is what it ended with.
    for i in range(len(starts)):  # native
        x = starts[i]
        k = 0
        while k < 40 and x < 10_000_000_000_000_000_000 // 3:
            x = 5 * x - 7
            k += 1
        out[i] = table[k] + table[x % 7]
    return out


def bounded(starts, table, out):
    # The end of the loop is what proves that the subscript is inside.
    for i in range(len(starts)):  # native
        x = starts[i] % 1000
        y = starts[i]
        while x >= len(table):
            y = 3 * y + 1
            x = x - 13 - y % 2
        out[i] = table[x] + i
    return out


def bounded_by_own(starts, table, out):
    for i in range(len(starts)):  # native
        x = starts[i]
        m = 0
        while m < 30:
            if x > 100 and m > 3:
                m += 20
            x = x * x - m
            m += 1
        out[i] = table[m]
    return out


def nested(starts, table, out):
    for i in range(len(starts)):  # native
        x = starts[i]
        k = 0
        j = 0
        while k < 9:
            j = 0
            while j < k and x > 2:
                x = 7 * x - j
                j += 1
            k += 1
            if x > 1000:
                x = x // 31
        out[i] = table[j] * k + table[x % 50]
    return out


def both_ways(starts, table, out):
    for i in range(len(starts)):  # native
        x = starts[i]
        y = -x
        k = 0
        while x > y and k < 12:
            x = 2 * x + 1
            y = 2 * y - 1
            k = k + 1
        out[i] = table[k % 16] + x % 5 - y % 3
    return out


TABLE = [k * k for k in range(64)]
for repeat in (1, 9):
    for cut in range(4, len(STARTS), 3):
        for kept in (STARTS, [v % 2**50 for v in STARTS]):
            starts = kept[:cut] * repeat
            for f in (collatz, counted, bounded, bounded_by_own, nested, both_ways):
                out = [0] * len(starts)
                attempt(f, starts, TABLE, out)
                array = np.zeros(len(starts), dtype=np.int64)
                attempt(f, starts, TABLE, array)
                show(f.__name__, cut, repeat, out, array)
