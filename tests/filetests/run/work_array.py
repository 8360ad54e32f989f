import numpy as np


def smooth(grid, row):
    n, m = grid.shape
    for i in range(n):
        for j in range(m):
            row[j] = grid[i, j]
        for j in range(1, m - 1):
            grid[i, j] = 0.25 * row[j - 1] + 0.5 * row[j] + 0.25 * row[j + 1]


grid = (np.arange(60_000) % 97 * 0.5).reshape(300, 200)
row = np.zeros(230)
smooth(grid, row)
print(float(grid.sum()), float(grid[17, 5]), float(row.sum()), float(row[150]))


# expect
# verdict line 6: parallel, copies of `row`, if in bounds: `grid[i, j]`, `row[j]`, `row[j - 1]`, `row[j + 1]`
# verdict line 7: parallel if in bounds: `grid[i, j]`, `row[j]`
# verdict line 9: parallel if in bounds: `row[j - 1]`, `row[j]`, `row[j + 1]`, `grid[i, j]`
# serial 6: lines 6, 7 independent, 9 independent; floating-point flags
# threads 6: lines 6 threads with its own row, 7 independent, 9 independent; floating-point flags
# auto 6: native
# 64 cores 6: 1 serial
# expensive threads 6: 1 serial
# shared core 6: 1 serial
# quick CPython 6: 1 interpreter
