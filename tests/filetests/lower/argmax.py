# test lower
# given best: py.f64; at: py.i64; a: ndarray f64 1
#
# The position of the greatest element, found by comparisons.
for i, v in enumerate(a):
    if v > best:
        best = v
        at = i

# expect
# a0 a: ndarray f64 as np.f64, rank 1, capture 3, read
# v0: py.i64
# v1 i: py.i64
# v2 v: np.f64
# v3 best: np.f64 in 4
# v4: py.bool
# v5 at: py.i64
# v6: py.bool
# L0 "i, v"
# top
#   L0 for v0 in 0 .. dim(a0, 0) step 1
#     v1 = v0
#     v2 = x0:a0[v0]!
#     if (v2 > v3)
#       v3 = v2
#       v4 = true
#       v5 = v0
#       v6 = true
# out p0 = v1
# out p1 = v2
# out p4 = v3 if v4
# out p5 = v5 if v6
