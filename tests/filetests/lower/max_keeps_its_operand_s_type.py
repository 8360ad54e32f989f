# test lower
# given best: py.f64; a: ndarray f64 1
#
# Max keeps its operand's type.
for v in a:
    best = max(best, v)

# expect
# a0 a: ndarray f64 as np.f64, rank 1, capture 1, read
# v0 v: py.i64
# v1 v: np.f64
# v2 best: dyn.f64 in 2 tag v4
# v3: py.bool
# v4: py.bool
# L0 v
# top
#   L0 for v0 in 0 .. dim(a0, 0) step 1
#     v1 = x0:a0[v0]!
#     if (v1 > v2)
#       v2 = v1
#       v4 = true
# out p0 = v1
# out p2 = v2
