import numpy as np


def shift(a, k, n):
    for i in range(n):
        a[i + k] = 0.5 * a[i] + 1.0


a = np.arange(60_000.0) % 17
for k in (0, 20_000, 3):
    shift(a, k, 20_000)
    print(k, a.sum().hex())


# expect
# verdict line 5: parallel if k >= n or k <= 0, and in bounds: `a[i]`, `a[i + k]`
# serial 5: lines 5 independent; floating-point flags
# serial 5: lines 5; floating-point flags
# refused 10: expression-statement
# threads 5: lines 5 threads independent; floating-point flags
# threads 5: lines 5; floating-point flags
# auto 5: native
# 64 cores 5: 1 interpreter, 2 serial
# expensive threads 5: 1 interpreter, 2 serial
# shared core 5: 1 interpreter, 2 serial
# quick CPython 5: 3 interpreter
