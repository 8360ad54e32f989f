"""Long loops that stop in the middle: what was committed before stays, nothing more."""

import signal

import numpy as np
from showing import attempt, show


def late_failure(a, b):
    for i in range(len(a)):  # native
        b[i] = a[i] * 2 + 1
        b[i] //= a[i] - 60_000
    return b


def late_index(a, n):
    for i in range(n):  # native
        a[i] = a[i - 1] + 1
    return a


def late_overflow(n):
    x = 1
    s = 0
    for i in range(n):  # native
        s += i * i
        if i == n - 3:
            x = 2**62
        x = x + x // 1000
    return s, x, i


def late_type(a):
    s = 0
    for x in a:
        s += x
    return s


def late_store(a, b):
    for i in range(len(b)):  # native
        a[i] = b[i] * 2
    return a


def late_warning(a):
    s = 0.0
    for x in a:  # native
        s += 1.0 / x
    return s


def late_math(a, out):
    import math

    for i in range(len(a)):
        out[i] = math.sqrt(a[i])
    return out


def late_growth(n):
    a, b = 1, 1
    steps = 0
    for i in range(n):  # native
        a, b = b, a * 3 % 1_000_003 + b % 7
        if i > n - 5:
            a = a * 10**17
        steps += 1
    return a, b, steps


def in_place_then_fail(A, k):
    n = len(A)
    for t in range(k):  # native
        for i in range(1, n - 1):
            A[i] = 0.5 * (A[i - 1] + A[i + 1])
        if t == k - 2:
            A[n + t] = 1.0
    return A


def break_late(a, x):
    for i in range(len(a)):  # native
        a[i] += 1
        if a[i] == x:
            break
    return i, a


def return_late(a, x):
    for i in range(len(a)):  # native
        a[i] += 1
        if a[i] == x:
            return i


def while_late(a):
    i = 0
    s = 0
    while a[i] >= 0:  # native
        s += a[i]
        a[i] = -a[i]
        i += 1
    return s, i


def interrupted():
    def handler(number, frame):
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    n = 0
    i = -1
    try:
        while True:
            for i in range(200_000):
                n += i & 3
    except KeyboardInterrupt:
        return "interrupted", -1 <= i < 200_000, n >= 0
    return "never", i, n


def check(name, a):
    a = np.asarray(a)
    weights = np.arange(1, len(a) + 1)
    show(name, int((a * weights).sum() % 1_000_000_007), a[:3], a[-3:])


N = 100_000
a = np.arange(N)
b = np.zeros(N, dtype=np.int64)
attempt(late_failure, a.tolist(), l := [0] * N)
check("late_failure", l)
late_failure(a, b)
check("late_failure", b)
x = np.zeros(N)
attempt(late_index, x, N + 1)
check("late_index", x)
l = [0] * N
attempt(late_index, l, N + 1)
check("late_index", l)
show("overflow", *late_overflow(N), *late_overflow(5))
attempt(late_type, [*range(N), "x"])
show("late_type", late_type([*range(N), 0.5]), late_type([*range(N), 2**70]))
values = [1.5] * N
values[-2] = float("nan")
x = np.zeros(N, dtype=np.int64)
attempt(late_store, x, values)
check("late_store", x)
x = np.zeros(N, dtype=np.uint8)
values = [k % 100 for k in range(N)]
values[-5] = 128
attempt(late_store, x, values)
check("late_store", x)
y = np.ones(N)
y[-10] = 0.0
show("warning", late_warning(y))
z = [1.0] * N
z[-10] = -1.0
out = np.zeros(N)
attempt(late_math, z, out)
check("late_math", out)
show("growth", *late_growth(N))
A = np.zeros(2000)
A[0] = 1.0
try:
    in_place_then_fail(A, 40)
except IndexError as error:
    show("in_place", str(error), A[:12].tolist(), float(A.sum()))
A = [0.0] * 2000
A[0] = 1.0
try:
    in_place_then_fail(A, 40)
except IndexError as error:
    show("in_place", str(error), A[:12], sum(A[::-1]))
x = np.arange(N)
show("break", break_late(x, N - 10)[0], return_late(x, N - 500), return_late(x, -1))
check("break", x)
x = np.append(np.arange(N), -1)
show("while", *while_late(x))
check("while", x)
attempt(while_late, np.arange(10))
show("interrupted", *interrupted())
