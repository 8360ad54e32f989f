# A loop in which NumPy warns now and then: what it counts and appends beside is counted and appended once.
import warnings

import numpy as np

warnings.simplefilter("ignore")


def products(a, b, sums):
    n, out = 0, []
    for i in range(len(a)):
        sums[i & 7] += a[i] * b[i]
        out.append(i)
        n += 1
    return n, len(out), sum(out)


for n in (10, 1000, 200_000):
    a, b = np.ones(n), np.arange(1.0, n + 1)
    a[n // 2] = b[n // 2] = a[n // 3] = b[n // 3] = 1e200
    sums = np.zeros(8)
    print(products(a, b, sums), sums.tolist())
