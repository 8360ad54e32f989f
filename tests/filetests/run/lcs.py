import numpy as np


def common(x, y, table):
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            if x[i - 1] == y[j - 1]:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])
    return i, j


rng = np.random.default_rng(4)
x, y = rng.integers(0, 4, 350), rng.integers(0, 4, 700)
table = np.zeros((351, 701), dtype=np.int64)
print(common(x, y, table), table[350, 700], table.sum())


# expect
# verdict line 5: serial: an element written as `table[i, j]` (line 8) may be read as `table[i - 1, j - 1]` (line 8) in the next iteration of `i`
# verdict line 6: serial: an element written as `table[i, j]` (line 8) may be read as `table[i, j - 1]` (line 10) in the next iteration of `j`
# serial 5: lines 5, 6; may stop, 1 guards
# threads 5: lines 5 whole, 5, 5 threads, 5, 6; may stop, 1 guards
# auto 5: native
# 64 cores 5: 1 serial
# expensive threads 5: 1 serial
# shared core 5: 1 serial
# quick CPython 5: 1 interpreter
