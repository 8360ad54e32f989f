"""A stencil in place whose two arrays change places: what is taken back is the array of that iteration."""

import warnings

import numpy as np

warnings.simplefilter("ignore")


def relax(a, b, n, m):
    for _ in range(3):
        for i in range(1, n):
            for j in range(1, m - 1):
                around = a[i - 1, j] + a[i][j - 1] + a[i, j + 1] + a[(i + 1) % n, j]
                a[i, j] = (around + a[i, j]) * 0.2
        a, b = b, a
    return i, j


for seed in range(4):
    rng = np.random.default_rng(seed)
    first, second = rng.random((9, 6)), rng.random((9, 6))
    # Sums of the second are too large for a float: NumPy says so.
    second.flat[rng.integers(0, 54, 4)] = np.finfo(float).max
    print(relax(first, second, 9, 6))
    print(first.tolist())
    print(second.tolist())
