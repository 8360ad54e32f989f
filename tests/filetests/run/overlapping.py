import numpy as np


def shift(a, b):
    for i in range(len(b)):
        a[i] = b[i] + 1.0


x = np.arange(30_000.0)
shift(x[1:], x[:-1])
print(x.sum())


# expect
# verdict line 5: parallel if in bounds: `a[i]`
# serial 5: lines 5; floating-point flags
# threads 5: lines 5; floating-point flags
# auto 5: native
# 64 cores 5: 1 interpreter
# expensive threads 5: 1 interpreter
# shared core 5: 1 interpreter
# quick CPython 5: 1 interpreter
