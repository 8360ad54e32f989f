import numpy as np


def solve(l, b, x):
    for i in range(len(b)):
        s = b[i]
        for j in range(i):
            s -= l[i, j] * x[j]
        x[i] = s / l[i, i]


n = 120
m = np.tri(n) + np.eye(n)
y = np.zeros(n)
solve(m, np.arange(1.0, n + 1), y)
print(y.sum().hex())


# expect
# verdict line 5: serial: an element written as `x[i]` (line 9) may be read as `x[j]` (line 8) in a later iteration of `i`
# verdict line 7: serial: `s` (assigned on line 8) adds up floats, whose order counts (--fp fast frees it)
# serial 5: lines 5, 7; may stop, 1 guards; floating-point flags
# threads 5: lines 5, 7; may stop, 1 guards; floating-point flags
# auto 5: interpreter
# 64 cores 5: 1 interpreter
# expensive threads 5: 1 interpreter
# shared core 5: 1 interpreter
# quick CPython 5: 1 interpreter
