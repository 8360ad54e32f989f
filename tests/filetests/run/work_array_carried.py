import numpy as np


def smooth(grid, row):
    n, m = grid.shape
    for i in range(n):
        for j in range(1, m):
            row[j] = grid[i, j] + 0.5 * row[j - 1]
        for j in range(1, m):
            grid[i, j] = row[j]
        row[0] = row[m - 1]


grid = (np.arange(60_000) % 97 * 0.5).reshape(300, 200)
row = np.zeros(200)
smooth(grid, row)
print(float(grid.sum()), float(grid[17, 5]), float(row.sum()))


# expect
# verdict line 6: serial: an element read as `row[j - 1]` (line 8) may be written as `row[j]` (line 8) in a later iteration of `i`
# verdict line 7: serial: an element written as `row[j]` (line 8) may be read as `row[j - 1]` (line 8) in the next iteration of `j`
# verdict line 9: parallel if in bounds: `row[j]`, `grid[i, j]`
# serial 6: lines 6, 7, 9 independent; floating-point flags
# threads 6: lines 6, 7, 9 threads independent; floating-point flags
# auto 6: native
# 64 cores 6: 1 serial
# expensive threads 6: 1 serial
# shared core 6: 1 serial
# quick CPython 6: 1 interpreter
