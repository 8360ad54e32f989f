def diffuse(grid, other):
    for i in range(1, len(grid) - 1):
        for j in range(1, len(grid[i]) - 1):
            other[i][j] = (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]) / 4


a = [[float((3 * i + j) % 11) for j in range(80)] for i in range(80)]
b = [row[:] for row in a]
diffuse(a, b)
print(sum(map(sum, b)).hex())


# expect
# verdict line 2: parallel if in bounds: `other[i, j]`
# verdict line 3: parallel if in bounds: `other[i, j]`
# serial 2: lines 2, 3 independent
# threads 2: lines 2 threads, 3 independent
# auto 2: interpreter
# 64 cores 2: 1 interpreter
# dear threads 2: 1 interpreter
# shared core 2: 1 interpreter
# quick CPython 2: 1 interpreter
