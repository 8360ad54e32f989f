# test lower
# given u: ndarray f64 2; new: ndarray f64 2
#
# Four neighbours: every subscript is a guarded load, and stays affine in the loops' counters.
# This is the nest that docs/dev/pipeline.md follows.
for i in range(1, u.shape[0] - 1):
    for j in range(1, u.shape[1] - 1):
        new[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])

# expect
# a0 u: ndarray f64 as np.f64, rank 2, capture 2, read
# a1 new: ndarray f64 as np.f64, rank 2, capture 5, written
# v0 i: py.i64
# v1 i: py.i64
# v2 j: py.i64
# v3 j: py.i64
# v4: py.bool
# L0 i
# L1 j
# top
#   L0 for v0 in 1 .. (dim(a0, 0) - 1) step 1
#     v1 = v0
#     L1 for v2 in 1 .. (dim(a0, 1) - 1) step 1
#       v3 = v2
#       v4 = true
#       x4:a1[v0, v2]! = (0.25:np.f64 * (((x0:a0[(v0 - 1), v2]! + x1:a0[(v0 + 1), v2]!) + x2:a0[v0, (v2 - 1)]!) + x3:a0[v0, (v2 + 1)]!))
# out p0 = v1
# out p4 = v3 if v4
