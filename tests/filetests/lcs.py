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
