import numpy as np


def weak_zero(a, b, k):
    for i in range(len(a)):
        a[i] = 0.5 * a[k] + b[i]


def peeled(a, b):
    for i in range(len(a)):
        a[i] = 0.5 * a[0] + b[i]


def mirrored(a):
    for i in range(len(a) - 1, -1, -1):
        a[i] = a[len(a) - 1 - i] + 1.0


def one_side(a, b, k):
    for i in range(1, len(a)):
        if i < k:
            a[i] = 0.5 * a[i - 1] + b[i]
        else:
            a[i] = b[i] * 2.0


def first_value(a, b):
    for i in range(len(a)):
        if i == 0:
            s = b[0] * 2.0
        a[i] = s + b[i]
    return s, i


def shortest(d):
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])


def everywhere(a, k):
    for i in range(1, len(a)):
        a[i] = 0.5 * a[i - 1] + a[k]


def left_early(a, k):
    for i in range(len(a)):
        a[i] = 0.5 * a[k] + 1.0
        if a[i] > 1e300:
            break


n = 20_000
b = np.arange(n) % 13 * 1.0
for k in (0, 7, n - 1):
    a = np.arange(n) % 17 * 1.0
    weak_zero(a, b, k)
    peeled(a, b)
    mirrored(a)
    if k < n - 1:  # twice: a third time CPython may have lost enough for a kernel, or not
        one_side(a, b, k)
    s = first_value(a, b)
    everywhere(a, k)
    left_early(a, k)
    print(k, s, a.sum().hex())
d = (np.arange(60 * 60) * 7919 % 1009 + 1.0).reshape(60, 60)
shortest(d)
print(d.sum().hex())


# expect
# verdict line 5: parallel, reading `a` as it was before the loop, if k + 1 >= a.shape[0], and in bounds: `a[k]`, `b[i]`
# serial 5: lines 5 whole, 5 independent, 5 independent; floating-point flags
# serial 5: lines 5 whole, 5 independent, 5 independent, 5 independent; floating-point flags
# serial 5: lines 5 lockstep; floating-point flags
# verdict line 10: serial: an element written as `a[i]` (line 11) may be read as `a[0]` (line 11) in a later iteration of `i`
# serial 10: lines 10 whole, 10 independent, 10 independent; floating-point flags
# verdict line 15: serial: an element read as `a[a.shape[0] - i - 1]` (line 16) may be written as `a[i]` (line 16) in a later iteration of `i`
# serial 15: lines 15 whole, 15 independent, 15 independent; floating-point flags
# verdict line 20: parallel if k <= 2, and in bounds: `b[i]`
# serial 20: lines 20 independent split; floating-point flags
# serial 20: lines 20 whole, 20, 20 independent; floating-point flags
# verdict line 28: serial: `s` (assigned on line 30) carries its value from one iteration to the next
# serial 28: lines 28; may stop, 1 guards; floating-point flags
# verdict line 37: serial: an element read as `d[i, j]` (line 40) may be written as `d[i, j]` (line 40) in a later iteration of `k`
# verdict line 38: serial: an element read as `d[k, j]` (line 40) may be written as `d[i, j]` (line 40) in a later iteration of `i`
# verdict line 39: serial: an element read as `d[i, k]` (line 40) may be written as `d[i, j]` (line 40) in a later iteration of `j`
# serial 37: lines 37, 38, 39 independent, 39 independent, 39 independent; floating-point flags
# verdict line 44: serial: an element written as `a[i]` (line 45) may be read as `a[i - 1]` (line 45) in the next iteration of `i`
# serial 44: lines 44; floating-point flags
# verdict line 49: serial: it may be left early on line 52
# serial 49: lines 49; floating-point flags
# refused 57: expression-statement
# threads 5: lines 5 whole, 5 threads independent, 5 threads independent; floating-point flags
# threads 5: lines 5 whole, 5 threads independent, 5 threads independent, 5 threads independent; floating-point flags
# threads 5: lines 5 threads saving all of a lockstep; floating-point flags
# threads 10: lines 10 whole, 10 threads independent, 10 threads independent; floating-point flags
# threads 15: lines 15 whole, 15 threads independent, 15 threads independent; floating-point flags
# threads 20: lines 20 threads independent split; floating-point flags
# threads 20: lines 20 whole, 20, 20 threads independent; floating-point flags
# threads 28: lines 28 whole, 28, 28 threads; may stop, 2 guards; floating-point flags
# threads 37: lines 37, 38 threads, 39 independent, 39 independent, 39 independent, 38 threads, 39 independent, 39 independent, 39 independent, 38 threads, 39 independent, 39 independent, 39 independent; floating-point flags
# threads 44: lines 44; floating-point flags
# threads 49: lines 49; floating-point flags
# auto 5: native
# auto 10: native
# auto 15: native
# auto 20: native
# auto 28: native
# auto 37: native
# auto 44: native
# auto 49: interpreter
# 64 cores 5: 1 interpreter, 2 serial
# 64 cores 10: 1 interpreter, 2 serial
# 64 cores 15: 1 interpreter, 2 serial
# 64 cores 20: 1 interpreter, 1 threads
# 64 cores 28: 1 interpreter, 2 serial
# 64 cores 37: 1 serial
# 64 cores 44: 1 interpreter, 2 serial
# 64 cores 49: 3 interpreter
# expensive threads 5: 1 interpreter, 2 serial
# expensive threads 10: 1 interpreter, 2 serial
# expensive threads 15: 1 interpreter, 2 serial
# expensive threads 20: 1 interpreter, 1 serial
# expensive threads 28: 1 interpreter, 2 serial
# expensive threads 37: 1 serial
# expensive threads 44: 1 interpreter, 2 serial
# expensive threads 49: 3 interpreter
# shared core 5: 1 interpreter, 2 serial
# shared core 10: 1 interpreter, 2 serial
# shared core 15: 1 interpreter, 2 serial
# shared core 20: 1 interpreter, 1 serial
# shared core 28: 1 interpreter, 2 serial
# shared core 37: 1 serial
# shared core 44: 1 interpreter, 2 serial
# shared core 49: 3 interpreter
# quick CPython 5: 3 interpreter
# quick CPython 10: 3 interpreter
# quick CPython 15: 3 interpreter
# quick CPython 20: 2 interpreter
# quick CPython 28: 3 interpreter
# quick CPython 37: 1 interpreter
# quick CPython 44: 3 interpreter
# quick CPython 49: 3 interpreter
