import math

import numpy as np


def roots(a, b, n, m):
    for i in range(1, n):
        for j in range(1, m):
            a[i, j] = math.sqrt(b[i, j]) + 0.25 * (a[i - 1, j] + a[i, j - 1])


rng = np.random.default_rng(8)
a, b = rng.random((300, 700)), rng.random((300, 700))
b[210, 333] = -1.0
try:
    roots(a, b, 300, 700)
except ValueError as error:
    print(error, a.sum().hex(), a[210, 332].hex(), a[210, 333].hex())


# expect
# verdict line 7: serial: an element written as `a[i, j]` (line 9) may be read as `a[i - 1, j]` (line 9) in the next iteration of `i`
# verdict line 8: serial: an element written as `a[i, j]` (line 9) may be read as `a[i, j - 1]` (line 9) in the next iteration of `j`
# serial 7: lines 7, 8; may stop, 1 guards; floating-point flags
# serial 7: 1 x guard-failure
# verdict line 8: serial: an element written as `a[i, j]` (line 9) may be read as `a[i, j - 1]` (line 9) in the next iteration of `j`
# serial 8: lines 8; may stop, 1 guards; floating-point flags
# serial 8: 1 x guard-failure
# threads 7: lines 7 whole, 7, 7 threads, 7, 8; may stop, 1 guards; floating-point flags
# threads 7: 1 x guard-failure
# threads 8: lines 8; may stop, 1 guards; floating-point flags
# threads 8: 1 x guard-failure
# auto 7: native
# auto 8: interpreter
# 64 cores 7: 1 serial
# expensive threads 7: 1 serial
# shared core 7: 1 serial
# quick CPython 7: 1 interpreter
