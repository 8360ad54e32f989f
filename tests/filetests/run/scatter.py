import numpy as np


def scatter(a, p, x):
    for i in range(len(p)):
        a[p[i]] = x[i] * 0.5 - 1.0


n = 30_000
p = np.arange(n) * 7919 % n
x = np.arange(float(n)) % 13
for where in (p, p // 2):
    a = np.zeros(n)
    scatter(a, where, x)
    print(a.sum().hex(), (a * np.arange(n)).sum().hex())


# expect
# verdict line 5: parallel if len(set(p)) == len(p), and in bounds: `x[i]`, `a[?]`
# serial 5: lines 5; floating-point flags
# refused 12: expression-statement
# threads 5: lines 5 threads independent; floating-point flags
# threads 5: lines 5; floating-point flags
# auto 5: native
# 64 cores 5: 2 serial
# expensive threads 5: 2 serial
# shared core 5: 2 serial
# quick CPython 5: 2 interpreter
