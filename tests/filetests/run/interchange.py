import numpy as np


def columns(a, b, n, m):
    for j in range(m):
        for i in range(n):
            b[i, j] = a[i, j] * 2.0 + b[i, j]
    return i, j


def down(a, n, m):
    for j in range(m):
        for i in range(1, n):
            a[i, j] = a[i - 1, j] * 0.5 + a[i, j]


def crossed(a, n, m):
    for j in range(1, m):
        for i in range(n - 1):
            a[i, j] = a[i + 1, j - 1] * 0.5 + a[i, j]


rng = np.random.default_rng(6)
p, q = rng.random((300, 400)), rng.random((300, 400))
print(columns(p, q, 300, 400), q.sum().hex())
down(q, 300, 400)
print(q.sum().hex())
crossed(q, 300, 400)
print(q.sum().hex())


# expect
# verdict line 5: parallel if in bounds: `a[i, j]`, `b[i, j]`
# verdict line 6: parallel if in bounds: `a[i, j]`, `b[i, j]`
# serial 5: lines 5 x32, 6; floating-point flags
# verdict line 12: parallel if in bounds: `a[i - 1, j]`, `a[i, j]`
# verdict line 13: serial: an element written as `a[i, j]` (line 14) may be read as `a[i - 1, j]` (line 14) in the next iteration of `i`
# serial 12: lines 12 x32, 13; floating-point flags
# verdict line 18: serial: an element written as `a[i, j]` (line 20) may be read as `a[i + 1, j - 1]` (line 20) in the next iteration of `j`
# verdict line 19: parallel if in bounds: `a[i + 1, j - 1]`, `a[i, j]`
# serial 18: lines 18, 19 independent; floating-point flags
# threads 5: lines 5 threads x32, 6; floating-point flags
# threads 12: lines 12 threads x32, 13; floating-point flags
# threads 18: lines 18, 19 threads independent; floating-point flags
# auto 5: native
# auto 12: native
# auto 18: native
# 64 cores 5: 1 threads
# 64 cores 12: 1 serial
# 64 cores 18: 1 serial
# expensive threads 5: 1 serial
# expensive threads 12: 1 serial
# expensive threads 18: 1 serial
# shared core 5: 1 serial
# shared core 12: 1 serial
# shared core 18: 1 serial
# quick CPython 5: 1 interpreter
# quick CPython 12: 1 interpreter
# quick CPython 18: 1 interpreter
