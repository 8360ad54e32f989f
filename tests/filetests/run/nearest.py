import numpy as np


def nearest(a, q):
    best = np.inf
    at = -1
    for i in range(len(a)):
        d = abs(a[i] - q)
        if d < best:
            best = d
            at = i
    return best, at


def best_position(a):
    at = 0
    for i in range(1, len(a)):
        if a[i] > a[at]:
            at = i
    return at


a = np.sin(np.arange(30_000.0)).round(2)
print(nearest(a, 0.25), nearest(a[:0], 1.0), best_position(a))


# expect
# verdict line 7: parallel, minimum of `best` with `at`
# serial 7: lines 7; floating-point flags
# verdict line 17: serial: `at` (assigned on line 17) carries its value from one iteration to the next
# serial 17: lines 17
# threads 7: lines 7 threads; floating-point flags
# threads 17: lines 17 whole, 17 threads
# auto 7: interpreter
# auto 17: native
# 64 cores 7: 2 interpreter
# 64 cores 17: 1 interpreter
# expensive threads 7: 2 interpreter
# expensive threads 17: 1 interpreter
# shared core 7: 2 interpreter
# shared core 17: 1 interpreter
# quick CPython 7: 2 interpreter
# quick CPython 17: 1 interpreter
