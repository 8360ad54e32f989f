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


# expect
# verdict line 6: serial: an element read as `a[i - 1, j]` (line 9) may be written as `a[i, j]` (line 9) in a later iteration of `s`
# verdict line 7: serial: an element written as `a[i, j]` (line 9) may be read as `a[i - 1, j]` (line 9) in the next iteration of `i`
# verdict line 8: serial: an element written as `a[i, j]` (line 9) may be read as `a[i, j - 1]` (line 9) in the next iteration of `j`
# serial 6: lines 6, 7, 8; floating-point flags
# verdict line 14: serial: an element written as `a[i, j]` (line 16) may be read as `a[i - 1, j]` (line 16) in the next iteration of `i`
# verdict line 15: serial: an element written as `a[i, j]` (line 16) may be read as `a[i, j - 1]` (line 16) in the next iteration of `j`
# serial 14: lines 14, 15; floating-point flags
# verdict line 21: serial: an element written as `a[i, j]` (line 23) may be read as `a[i - 1, j + 1]` (line 23) in the next iteration of `i`
# verdict line 22: serial: an element written as `a[i, j]` (line 23) may be read as `a[i, j - 1]` (line 23) in the next iteration of `j`
# serial 21: lines 21, 22; floating-point flags
# threads 6: lines 6, 7, 7 threads, 7, 8; floating-point flags
# threads 14: lines 14 whole, 14, 14 threads, 14, 15; floating-point flags
# threads 21: lines 21 whole, 21, 21 threads, 21, 22; floating-point flags
# auto 6: native
# auto 14: native
# auto 21: native
# 64 cores 6: 1 threads
# 64 cores 14: 1 serial
# 64 cores 21: 1 serial
# expensive threads 6: 1 serial
# expensive threads 14: 1 serial
# expensive threads 21: 1 serial
# shared core 6: 1 serial
# shared core 14: 1 serial
# shared core 21: 1 serial
# quick CPython 6: 1 interpreter
# quick CPython 14: 1 interpreter
# quick CPython 21: 1 interpreter
