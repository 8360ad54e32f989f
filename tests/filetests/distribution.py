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


def through_a_variable(a, b, c):
    for i in range(1, len(b)):
        t = 0.5 * a[i - 1] + b[i]
        a[i] = t
        c[i] = math.sin(b[i]) * t


# Both loops compute `t`.
def through_a_value(a, b, c):
    for i in range(1, len(b)):
        t = 2.0 * b[i] + 1.0
        a[i] = 0.5 * a[i - 1] + t
        c[i] = math.sin(t) * math.cos(t)


rng = np.random.default_rng(5)
for f in apart, in_a_circle, through_a_variable, through_a_value:
    a, b, c = (rng.random(60_000) for _ in range(3))
    print(f(a, b, c), a.sum().hex(), c.sum().hex())


# expect
# verdict line 7: serial: an element written as `a[i]` (line 8) may be read as `a[i - 1]` (line 8) in the next iteration of `i`
# serial 7: lines 7; may stop, 2 guards; floating-point flags
# verdict line 14: serial: an element written as `c[i]` (line 16) may be read as `c[i - 1]` (line 15) in the next iteration of `i`
# serial 14: lines 14; may stop, 2 guards; floating-point flags
# verdict line 20: serial: an element written as `a[i]` (line 22) may be read as `a[i - 1]` (line 21) in the next iteration of `i`
# serial 20: lines 20; may stop, 1 guards; floating-point flags
# refused 27: expression
# threads 7: lines 7 whole, 7, 7 threads independent; may stop, 2 guards; floating-point flags
# threads 14: lines 14; may stop, 2 guards; floating-point flags
# threads 20: lines 20; may stop, 1 guards; floating-point flags
# auto 7: native
# auto 14: native
# auto 20: native
