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
