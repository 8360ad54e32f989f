import numpy as np


def odd_from_even(a, n):
    for i in range(n):
        a[2 * i + 1] = a[2 * i] + 1.0


def every_third(a, n):
    for i in range(n):
        a[3 * i] = a[2 * i + 1] + 1.0


def blocks(a, n, w):
    for i in range(n):
        for j in range(w):
            a[i * w + j] = i - 0.5 * j


a = np.arange(60_000.0)
odd_from_even(a, 20_000)
every_third(a, 15_000)
blocks(a, 200, 150)
print(a.sum().hex())


# expect
# verdict line 5: parallel if in bounds: `a[2*i]`, `a[2*i + 1]`
# serial 5: lines 5 independent; floating-point flags
# verdict line 10: serial: an element written as `a[3*i]` (line 11) may be read as `a[2*i + 1]` (line 11) in a later iteration of `i`
# serial 10: lines 10; floating-point flags
# verdict line 15: parallel if in bounds: `a[w*i + j]`
# verdict line 16: parallel if in bounds: `a[w*i + j]`
# serial 15: lines 15, 16 independent
# threads 5: lines 5 threads independent; floating-point flags
# threads 10: lines 10; floating-point flags
# threads 15: lines 15 threads, 16 independent
# auto 5: native
# auto 10: native
# auto 15: native
# 64 cores 5: 1 interpreter
# 64 cores 10: 1 interpreter
# 64 cores 15: 1 interpreter
# expensive threads 5: 1 interpreter
# expensive threads 10: 1 interpreter
# expensive threads 15: 1 interpreter
# shared core 5: 1 interpreter
# shared core 10: 1 interpreter
# shared core 15: 1 interpreter
# quick CPython 5: 1 interpreter
# quick CPython 10: 1 interpreter
# quick CPython 15: 1 interpreter
