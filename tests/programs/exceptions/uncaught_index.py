"""Ends with an uncaught IndexError from a nest two calls deep."""

import numpy as np


def smooth(a, b):
    for i in range(len(a)):  # native
        b[i] = (
            a[i]
            + a[i + 1]
        ) / 2  # fmt: skip


def run(n):
    a = np.arange(float(n))
    b = np.zeros(n)
    for k in range(2):
        print("round", k)
        smooth(a, b)


if __name__ == "__main__":
    run(5)
