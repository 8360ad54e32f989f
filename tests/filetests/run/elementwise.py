import numpy as np


def blend(a, b, c):
    for i in range(len(a)):
        c[i] = 0.25 * a[i] + 0.75 * b[i]


x = np.linspace(0.0, 1.0, 60_000)
out = np.zeros(60_000)
blend(x, x[::-1], out)
print(float(out.sum()), float(out[7]))


# expect
# verdict line 5: parallel if in bounds: `b[i]`, `c[i]`
# serial 5: lines 5 independent; floating-point flags
# threads 5: lines 5 threads independent; floating-point flags
# auto 5: native
# 64 cores 5: 1 threads
# expensive threads 5: 1 serial
# shared core 5: 1 serial
# quick CPython 5: 1 interpreter
