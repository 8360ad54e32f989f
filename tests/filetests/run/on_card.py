# Also on machines with a card.
import numpy as np


def forces(x, f):
    for i in range(len(x)):
        s = 0.0
        for j in range(len(x)):
            d = x[j] - x[i]
            s += d / (d * d + 0.01)
        f[i] = s


def scaled(x, y):
    for i in range(len(x)):
        y[i] = 2.0 * x[i]


def smooth(a, b, steps):
    for t in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) * 0.25
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = b[i, j]


def recurrence(x, y):
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5 + x[i]


x = np.arange(1500.0)
f = np.zeros(1500)
list(map(forces, [x] * 2, [f] * 2))
long = np.arange(100_000.0)
y = np.zeros(100_000)
list(map(scaled, [long] * 2, [y] * 2))
a = np.arange(10_000.0).reshape(100, 100)
b = np.zeros((100, 100))
list(map(smooth, [a] * 2, [b] * 2, [20] * 2))
list(map(recurrence, [long] * 2, [y] * 2))
print(f.sum(), y.sum(), a.sum(), b.sum())


# expect
# verdict line 6: parallel if in bounds: `f[i]`
# verdict line 8: serial: `s` (assigned on line 10) adds up floats, whose order counts (--fp fast frees it)
# serial 6: lines 6 x32, 8; floating-point flags
# verdict line 15: parallel if in bounds: `y[i]`
# serial 15: lines 15 independent; floating-point flags
# verdict line 20: serial: an element read as `a[i - 1, j]` (line 23) may be written as `a[i, j]` (line 26) in a later iteration of `t`
# verdict line 21: parallel if in bounds: `b[i, j]`
# verdict line 22: parallel if in bounds: `b[i, j]`
# verdict line 24: parallel
# verdict line 25: parallel
# serial 20: lines 20, 21, 22 independent, 24, 25 independent; floating-point flags
# verdict line 30: serial: an element written as `y[i]` (line 31) may be read as `y[i - 1]` (line 31) in the next iteration of `i`
# serial 30: lines 30; floating-point flags
# threads 6: lines 6 threads x32, 8; floating-point flags
# threads 15: lines 15 threads independent; floating-point flags
# threads 20: lines 20, 21 threads, 22 independent, 24 threads, 25 independent; floating-point flags
# threads 30: lines 30; floating-point flags
# auto 6: native
# auto 15: native
# auto 20: native
# auto 30: native
# 64 cores 6: 2 threads
# 64 cores 15: 2 threads
# 64 cores 20: 2 serial
# 64 cores 30: 2 serial
# expensive threads 6: 2 serial
# expensive threads 15: 2 serial
# expensive threads 20: 2 serial
# expensive threads 30: 2 serial
# shared core 6: 2 serial
# shared core 15: 2 serial
# shared core 20: 2 serial
# shared core 30: 2 serial
# quick CPython 6: 1 interpreter, 1 serial
# quick CPython 15: 2 interpreter
# quick CPython 20: 2 interpreter
# quick CPython 30: 2 interpreter
# fast card 6: 2 gpu
# fast card 15: 2 threads
# fast card 20: 2 gpu
# fast card 30: 2 serial
# slow bus 6: 2 threads
# slow bus 15: 2 threads
# slow bus 20: 2 serial
# slow bus 30: 2 serial
# slow card 6: 2 threads
# slow card 15: 2 threads
# slow card 20: 2 serial
# slow card 30: 2 serial
