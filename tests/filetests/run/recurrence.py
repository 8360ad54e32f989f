import numpy as np


def smooth(a, k):
    for i in range(1, len(a)):
        a[i] = k * a[i] + (1 - k) * a[i - 1]


x = np.arange(30_000.0) % 17
smooth(x, 0.2)
print(x.sum().hex())


# expect
# verdict line 5: serial: an element written as `a[i]` (line 6) may be read as `a[i - 1]` (line 6) in the next iteration of `i`
# serial 5: lines 5; floating-point flags
# threads 5: lines 5; floating-point flags
# auto 5: native
# 64 cores 5: 1 serial
# expensive threads 5: 1 serial
# shared core 5: 1 serial
# quick CPython 5: 1 interpreter
