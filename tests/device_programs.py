"""Text of programs that run on emulated devices, for several tests."""

HEAD = """\
import numpy as np, zlib
def crc(a):
    return zlib.crc32(np.ascontiguousarray(a))
rng = np.random.default_rng(5)
"""

# Arrays trade places; what comes out is the one that holds the last step, and everything else that
# the loops leave in variables.
STEPS = """\
def steps(a, b, n):
    for t in range(n):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i - 1, j] + a[i + 1, j])
        a, b = b, a
    return a, b, t, i, j
"""

# A pivot: the place of the largest, an exchange of rows, what one thread reads for all.
ELIMINATE = """\
def eliminate(a, b):
    for k in range(len(a)):
        best, p = 0.0, k
        for i in range(k, len(a)):
            if abs(a[i, k]) > best:
                best, p = abs(a[i, k]), i
        if p != k:
            for j in range(len(a)):
                a[k, j], a[p, j] = a[p, j], a[k, j]
        for i in range(k + 1, len(a)):
            a[i, k] /= a[k, k]
            for j in range(k + 1, len(a)):
                a[i, j] -= a[i, k] * a[k, j]
        b[k] = best
    return best, p
"""
