"""Subscripts and values whose linear forms have coefficients near 2**62: the dependence test gives up on them in time."""

import numpy as np
from showing import attempt, show


def remainders(a0, r1, t9, c0, c1):
    i = -1
    s0 = 0
    for i in range(len(t9)):  # native
        c1 = (c1 + i) * 2**62
        s0 = (s0 >> 3) * 0
        which = a0[min(i, len(a0) - 1)] if c1 == i else a0[0]
        a0[(2 * i + i - 3) % len(a0)] = which * (0.5 + c0) % (2**61 - 1)
    for i in range(1, len(r1)):
        s0, s0 = ((c1 & 255) << (c1 & 31), c1 + c1)
        if a0[i % len(a0)] > a0[i * i % len(a0)]:
            c1 = s0 * -(2**31) % 1009
        else:
            c1 = ord(t9[i % len(t9)])
    return c0, c1, s0, i


a0 = np.random.default_rng(9).integers(-5, 12, 23) * 0.37
r1 = np.arange(23) * 1j
attempt(remainders, a0, r1, ("aeiou zz" * 23)[:23], 3.0, np.int64(1))
show("after", a0)
