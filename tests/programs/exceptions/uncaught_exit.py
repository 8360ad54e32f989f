"""Ends by sys.exit between nests; atexit functions and pending loops behave."""

import atexit
import sys

import numpy as np


@atexit.register
def last():
    s = 0
    for i in range(5):  # native
        s += i
    print("at exit", s)


def main():
    a = np.zeros(8, dtype=np.int32)
    for t in range(5):
        for i in range(len(a)):  # native
            a[i] += i * t
        if a[-1] > 20:
            print(a.tolist())
            sys.exit(int(a[1]))


main()
