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
# verdict line 7: parallel
# verdict line 7: serial: an element written as `a result[item]` (line 7) may be written as `a result[item]` (line 7) in a later iteration of `item`
# verdict line 7: parallel
# verdict line 7: parallel
# verdict line 7: parallel
# verdict line 7: parallel
# serial 7: lines 7, 7, 7 independent, 7 independent, 7, 7 independent
# verdict line 8: parallel
# verdict line 8: parallel
# verdict line 8: parallel
# verdict line 8: parallel
# verdict line 8: parallel
# serial 8: lines 8, 8, 8 independent, 8, 8 independent
# threads 2: lines 2 threads, 3 independent
# threads 7: lines 7 threads, 7, 7 independent, 7 independent, 7, 7 independent
# threads 8: lines 8 threads, 8, 8 independent, 8, 8 independent
# auto 2: interpreter
# auto 7: interpreter
# auto 8: interpreter
# 64 cores 2: 1 interpreter
# 64 cores 7: 1 interpreter
# 64 cores 8: 1 interpreter
# expensive threads 2: 1 interpreter
# expensive threads 7: 1 interpreter
# expensive threads 8: 1 interpreter
# shared core 2: 1 interpreter
# shared core 7: 1 interpreter
# shared core 8: 1 interpreter
# quick CPython 2: 1 interpreter
# quick CPython 7: 1 interpreter
# quick CPython 8: 1 interpreter
