import numpy as np


def spread(a, b, k):
    for i in range(len(b)):
        a[k] = b[i] * 2.0 + 1.0
        k += 2
    return k


def thinned(a, b):
    k = 0
    for i in range(0, len(b), 2):
        a[k] = b[i]
        k += 1
    return k


def flattened(out, m):
    k = 0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            out[k] = m[i, j] * 0.5
            k += 1
    return k


def reversed_in_place(a):
    low, high = 0, len(a) - 1
    for _ in range(len(a) // 2):
        a[low], a[high] = a[high], a[low]
        low += 1
        high -= 1


def kept(a, b):
    k = 0
    for i in range(len(b)):
        if b[i] > 0.5:
            a[k] = b[i]
            k += 1
    return k


def running(a, n):
    k = 1
    for _ in range(n):
        a[k] = a[k - 1] + 1.0
        k += 1


def growing(a, k):
    for i in range(len(a)):
        a[i] = k & 7
        k += 1 << 50


b = np.arange(60_000.0) % 37 / 30
a = np.zeros(120_010)
print(spread(a, b, 3), a.sum().hex())
print(thinned(a, b), a.sum().hex())
print(flattened(a, b.reshape(200, 300)), a.sum().hex())
reversed_in_place(a)
print(kept(a, b), a.sum().hex())
running(a, 100_000)
print(a.sum().hex())
cells = np.zeros(20_000, dtype=np.int64)
growing(cells, 5)
print(cells.sum())


# expect
# verdict line 5: parallel, `k` computed from its counter, if in bounds: `a[2*i + k]`
# serial 5: lines 5 whole, 5 independent; floating-point flags
# verdict line 13: parallel, `k` computed from its counter, if in bounds: `a[? + k]`
# serial 13: lines 13 whole, 13 independent
# verdict line 21: parallel, `k` computed from its counter, if in bounds: `out[m.shape[1]*i + j + k]`
# verdict line 22: parallel, `k` computed from its counter, if in bounds: `out[m.shape[1]*i + j + k]`
# serial 21: lines 21 whole, 21, 22 independent; floating-point flags
# verdict line 30: parallel, reading `a` as it was before the loop, `high` computed from its counter, `low` computed from its counter, if high + 2 >= low + a.shape[0] or low >= high, and in bounds: `a[_ + low]`, `a[high - _]`
# serial 30: lines 30 whole, 30 independent
# verdict line 38: serial: an element written as `a[k]` (line 40) may be written as `a[k]` (line 40) in a later iteration of `i`
# serial 38: lines 38
# verdict line 47: serial: an element written as `a[_ + k]` (line 48) may be read as `a[_ + k - 1]` (line 48) in the next iteration of `_`
# serial 47: lines 47; floating-point flags
# verdict line 53: serial: `k` (assigned on line 55) carries its value from one iteration to the next
# serial 53: lines 53; may stop, 1 guards
# serial 53: lines 53; may stop, 2 guards
# serial 53: 1 x guard-failure
# threads 5: lines 5 whole, 5 threads independent; floating-point flags
# threads 13: lines 13 whole, 13 threads independent
# threads 21: lines 21 whole, 21 threads, 22 independent; floating-point flags
# threads 30: lines 30 whole, 30 threads independent
# threads 38: lines 38
# threads 47: lines 47; floating-point flags
# threads 53: lines 53; may stop, 1 guards
# threads 53: lines 53; may stop, 2 guards
# threads 53: 1 x guard-failure
# auto 5: native
# auto 13: native
# auto 21: native
# auto 30: native
# auto 38: native
# auto 47: native
# auto 53: native
# 64 cores 5: 1 serial
# 64 cores 13: 1 interpreter
# 64 cores 21: 1 serial
# 64 cores 30: 1 threads
# 64 cores 38: 1 serial
# 64 cores 47: 1 serial
# 64 cores 53: 1 interpreter
# expensive threads 5: 1 serial
# expensive threads 13: 1 interpreter
# expensive threads 21: 1 serial
# expensive threads 30: 1 serial
# expensive threads 38: 1 serial
# expensive threads 47: 1 serial
# expensive threads 53: 1 interpreter
# shared core 5: 1 serial
# shared core 13: 1 interpreter
# shared core 21: 1 serial
# shared core 30: 1 serial
# shared core 38: 1 serial
# shared core 47: 1 serial
# shared core 53: 1 interpreter
# quick CPython 5: 1 interpreter
# quick CPython 13: 1 interpreter
# quick CPython 21: 1 interpreter
# quick CPython 30: 1 interpreter
# quick CPython 38: 1 interpreter
# quick CPython 47: 1 interpreter
# quick CPython 53: 1 interpreter
