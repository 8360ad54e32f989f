"""Loops that threads share: one that starts them often, and long ones bound by one thing each.

The parameters' names say what the functions are called with (`threads.values`).
"""

import math


def starts(a, o, x, r):
    s = x
    for _ in range(r):
        for i in range(len(o)):
            o[i] = a[i] * s
        s = o[0] * 0.5 + 0.25
    return s


def compute_polynomials(a, o):
    for i in range(len(o)):
        x = a[i]
        p = ((x * 0.5 + 1.0) * x - 2.0) * x + 3.0
        q = ((x * 0.25 - 1.0) * x + 2.0) * x - 1.0
        r = ((x * 0.75 + 2.0) * x + 1.0) * x - 3.0
        s = ((x * 0.125 - 2.0) * x - 1.0) * x + 5.0
        o[i] = math.sqrt(p * p + q * q) + math.sqrt(r * r + s * s) / (1.0 + x * x)


def compute_exps(a, o):
    for i in range(len(o)):
        o[i] = math.exp(a[i]) * math.exp(-a[i] * a[i])


def latency_steps(a, o):
    for i in range(len(o)):
        x = a[i]
        for _ in range(100):
            x = x / (1.0 + x) + 0.5
        o[i] = x


def latency_congruence(idx, kdx):
    for i in range(len(kdx)):
        s = idx[i]
        for _ in range(100):
            s = (s * 1103515245 + 12345) & 1048575
            s = s % 65521
        kdx[i] = s


def memory_add(a2, b2, o2):
    for i in range(len(o2)):
        o2[i] = a2[i] + b2[i]


def memory_gather(a2, idx2, o2):
    for i in range(len(o2)):
        o2[i] = a2[idx2[i]]


def held_compute_escape(a, b, o):
    for i in range(len(o)):
        x = y = 0.0
        for _ in range(30):
            x, y = x * x - y * y + a[i] * 0.2, 2.0 * x * y + b[i] * 0.2
        o[i] = x * x + y * y


def held_memory_smooth(a2, o2):
    for i in range(1, len(o2) - 1):
        o2[i] = a2[i - 1] + a2[i] + a2[i + 1]
