"""Arrays with NaN and infinities in them: comparisons do not warn, so loops over them run compiled."""

import numpy as np
from showing import show


def clipped(a, lo, hi, out):
    for i in range(len(a)):  # native
        if a[i] < lo:
            out[i] = lo
        elif a[i] > hi:
            out[i] = hi
        else:
            out[i] = a[i]
    return out


def masked_mean(a):
    s = 0.0
    n = 0
    for i in range(len(a)):  # native
        if a[i] == a[i]:
            s += 0.5
            n += 1
    return s, n


def smoothed(A, B):
    for i in range(1, A.shape[0] - 1):  # native
        for j in range(1, A.shape[1] - 1):
            if A[i, j] != A[i, j]:
                B[i, j] = -1.0
            elif A[i, j] >= 0.5:
                B[i, j] = A[i, j] * 0.5
            else:
                B[i, j] = A[i - 1, j] if A[i - 1, j] <= A[i + 1, j] else A[i + 1, j]
    return B


def largest(a, b, out):
    for i in range(len(a)):  # native
        out[i] = max(a[i], b[i]) if a[i] > -1.0 else np.minimum(a[i], b[i])
    return out


def marked(a, flags):
    for i in range(len(a)):  # native
        flags[i] = np.isnan(a[i]) or a[i] > 0.9
    return flags


rng = np.random.default_rng(1)
for dtype in (np.float64, np.float32):
    a = rng.random(3000).astype(dtype)
    a[::7] = np.nan
    a[3::11] = np.inf
    a[5::13] = -np.inf
    b = a[::-1].copy()
    b[::5] = np.nan
    for _ in range(3):
        show("clipped", float(np.nansum(clipped(a, dtype(0.2), dtype(0.7), np.zeros_like(a)))))
        show("mean", *masked_mean(a))
        A = a.reshape(50, 60)
        out = smoothed(A, np.zeros_like(A))
        show("smoothed", int(np.isnan(out).sum()), float(np.where(np.isfinite(out), out, 2).sum()))
        out = largest(a, b, np.zeros_like(a))
        show("largest", int(np.isnan(out).sum()), float(np.where(np.isfinite(out), out, 2).sum()))
        show("marked", int(marked(a, np.zeros(3000, bool)).sum()))
