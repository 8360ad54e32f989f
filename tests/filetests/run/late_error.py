import numpy as np


def halve(a, n):
    for i in range(n):
        a[i] = a[i] / 2


x = np.ones(20_000)
try:
    halve(x, 20_001)
except IndexError as error:
    print(error, x.sum())


# expect
# verdict line 5: parallel if in bounds: `a[i]`
# serial 5: lines 5; may stop, 2 guards; floating-point flags
# serial 5: 1 x guard-failure
# threads 5: lines 5; may stop, 2 guards; floating-point flags
# threads 5: 1 x guard-failure
# auto 5: native
# 64 cores 5: 1 interpreter
# expensive threads 5: 1 interpreter
# shared core 5: 1 interpreter
# quick CPython 5: 1 interpreter
