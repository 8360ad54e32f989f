import numpy as np


def products(a, c, s):
    rows, cols, n = a.shape
    for r in range(rows):
        for q in range(cols):
            for p in range(n):
                s[p] = 0.0
                for k in range(n):
                    s[p] += a[r, q, k] * c[k, p]
            for p in range(n):
                a[r, q, p] = s[p]
    return r, q, p, k


def triangle(a, b, s):
    for p in range(len(s)):
        for i in range(len(a)):
            for k in range(i):
                s[p] += a[i, k] * b[k, p]
            s[p] *= 0.5
    return p, i


rng = np.random.default_rng(5)
a, c, s = rng.random((7, 6, 37)), rng.random((37, 37)), np.zeros(37)
print(products(a, c, s), a.sum().hex(), s.sum().hex())
print(triangle(c, c.copy(), s), s.sum().hex())


# expect
# verdict line 6: parallel, copies of `s`, if in bounds: `s[p]`, `a[r, q, k]`, `c[k, p]`, `a[r, q, p]`
# verdict line 7: parallel, copies of `s`, if in bounds: `s[p]`, `a[r, q, k]`, `c[k, p]`, `a[r, q, p]`
# verdict line 8: parallel if in bounds: `s[p]`, `a[r, q, k]`, `c[k, p]`
# verdict line 10: serial: an element read as `s[p]` (line 11) may be written as `s[p]` (line 11) in a later iteration of `k`
# verdict line 12: parallel if in bounds: `s[p]`, `a[r, q, p]`
# serial 6: lines 6, 7, 8 x32, 10, 12 independent; floating-point flags
# verdict line 18: parallel
# verdict line 19: serial: an element read as `s[p]` (line 21) may be written as `s[p]` (line 21) in a later iteration of `i`
# verdict line 20: serial: an element read as `s[p]` (line 21) may be written as `s[p]` (line 21) in a later iteration of `k`
# serial 18: lines 18, 19, 20; floating-point flags
# threads 6: lines 6 threads with its own s, 7, 8 x32, 10, 12 independent; floating-point flags
# threads 18: lines 18 threads, 19, 20; floating-point flags
# auto 6: native
# auto 18: native
# 64 cores 6: 1 serial
# 64 cores 18: 1 serial
# expensive threads 6: 1 serial
# expensive threads 18: 1 serial
# shared core 6: 1 serial
# shared core 18: 1 serial
# quick CPython 6: 1 interpreter
# quick CPython 18: 1 interpreter
