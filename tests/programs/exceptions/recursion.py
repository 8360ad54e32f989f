"""Ends in RecursionError inside a loop; the traceback is CPython's."""

import sys

sys.setrecursionlimit(120)


def walk(n):
    s = 0
    for i in range(2):
        s += walk(n + 1) + i
    return s


try:
    walk(0)
except RecursionError as error:
    print(type(error).__name__, error)
total = 0
for i in range(7):  # native
    total += i
print(total)
