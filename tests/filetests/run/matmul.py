import numpy as np


def multiply(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s


rng = np.random.default_rng(5)
p, q = rng.random((40, 50)), rng.random((50, 30))
r = np.zeros((40, 30))
multiply(p, q, r)
print(r.sum().hex(), r[3, 4].hex())


# expect
# verdict line 5: parallel if in bounds: `b[k, j]`, `c[i, j]`
# verdict line 6: parallel if in bounds: `b[k, j]`, `c[i, j]`
# verdict line 8: serial: `s` (assigned on line 9) adds up floats, whose order counts (--fp fast frees it)
# serial 5: lines 5, 6 x32, 8; floating-point flags
# threads 5: lines 5 threads, 6 x32, 8; floating-point flags
# auto 5: native
# 64 cores 5: 1 serial
# expensive threads 5: 1 serial
# shared core 5: 1 serial
# quick CPython 5: 1 interpreter
