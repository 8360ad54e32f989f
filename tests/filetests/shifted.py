import numpy as np


def shift(a, k, n):
    for i in range(n):
        a[i + k] = 0.5 * a[i] + 1.0


a = np.arange(60_000.0) % 17
for k in (0, 20_000, 3):
    shift(a, k, 20_000)
    print(k, a.sum().hex())
