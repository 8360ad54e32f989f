import numpy as np


def sweeps(a, t):
    n, m = a.shape
    for s in range(t):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    return i, j


def sweep(a, n, m):
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
    return i, j


def skewed(a, n, m):
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            a[i, j] = 0.5 * a[i - 1, j + 1] + 0.25 * (a[i - 1, j - 1] + a[i, j - 1])


rng = np.random.default_rng(3)
grid = rng.random((300, 700))
print(sweeps(grid, 3), grid.sum().hex(), grid[298, 698].hex())
print(sweep(grid, 300, 700), grid.sum().hex(), grid[298, 698].hex())
skewed(grid, 300, 700)
print(grid.sum().hex(), grid[298, 698].hex())
