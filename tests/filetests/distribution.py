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


rng = np.random.default_rng(5)
for f in apart, in_a_circle, through_a_variable:
    a, b, c = (rng.random(60_000) for _ in range(3))
    print(f(a, b, c), a.sum().hex(), c.sum().hex())
