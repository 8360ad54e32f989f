import math

import numpy as np


def apart(a, b, c):
    for i in range(1, len(b)):
        a[i] = 0.5 * a[i - 1] + b[i]
        c[i] = math.sin(b[i]) * math.cos(b[i])
    return i


def in_a_circle(a, b, c):
    for i in range(1, len(b)):
        a[i] = 0.5 * c[i - 1] + b[i]
        c[i] = math.sin(a[i]) * math.cos(b[i])


# Both loops compute `t`.
def through_a_variable(a, b, c):
    for i in range(1, len(b)):
        t = 0.5 * a[i - 1] + b[i]
        a[i] = t
        c[i] = math.sin(b[i]) * t


# What takes long is not computed twice.
def through_a_dear_one(a, b, c):
    for i in range(1, len(b)):
        t = math.exp(-b[i])
        a[i] = 0.5 * a[i - 1] + t
        c[i] = math.sin(t) * math.cos(t)


rng = np.random.default_rng(5)
for f in apart, in_a_circle, through_a_variable, through_a_dear_one:
    a, b, c = (rng.random(60_000) for _ in range(3))
    print(f(a, b, c), a.sum().hex(), c.sum().hex())


# expect
# verdict line 7: serial: an element written as `a[i]` (line 8) may be read as `a[i - 1]` (line 8) in the next iteration of `i`
# serial 7: lines 7 whole, 7, 7 independent; may stop, 2 guards; floating-point flags
# verdict line 14: serial: an element written as `c[i]` (line 16) may be read as `c[i - 1]` (line 15) in the next iteration of `i`
# serial 14: lines 14; may stop, 2 guards; floating-point flags
# verdict line 21: serial: an element written as `a[i]` (line 23) may be read as `a[i - 1]` (line 22) in the next iteration of `i`
# serial 21: lines 21 whole, 21, 21 independent; may stop, 1 guards; floating-point flags
# verdict line 29: serial: an element written as `a[i]` (line 31) may be read as `a[i - 1]` (line 31) in the next iteration of `i`
# serial 29: lines 29; may stop, 3 guards; floating-point flags
# refused 36: expression
# threads 7: lines 7 whole, 7, 7 threads independent; may stop, 2 guards; floating-point flags
# threads 14: lines 14; may stop, 2 guards; floating-point flags
# threads 21: lines 21 whole, 21, 21 threads independent; may stop, 1 guards; floating-point flags
# threads 29: lines 29; may stop, 3 guards; floating-point flags
# auto 7: native
# auto 14: native
# auto 21: native
# auto 29: native
# 64 cores 7: 1 threads
# 64 cores 14: 1 serial
# 64 cores 21: 1 threads
# 64 cores 29: 1 serial
# expensive threads 7: 1 serial
# expensive threads 14: 1 serial
# expensive threads 21: 1 serial
# expensive threads 29: 1 serial
# shared core 7: 1 serial
# shared core 14: 1 serial
# shared core 21: 1 serial
# shared core 29: 1 serial
# quick CPython 7: 1 interpreter
# quick CPython 14: 1 interpreter
# quick CPython 21: 1 interpreter
# quick CPython 29: 1 interpreter
