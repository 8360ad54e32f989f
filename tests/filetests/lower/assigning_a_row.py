# test lower
# given n: py.i64; a: ndarray f64 2
#
# Assigning a row.
for i in range(n):
    a[i] = 0.0

# expect
# a0 a: ndarray f64 as np.f64, rank 2, capture 3, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 element: py.i64
# L0 i
# L1 element
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     check! (v1 < dim(a0, 0))
#     L1 for v3 in 0 .. dim(a0, 1) step 1
#       x0:a0[v1, v3] = 0.0:np.f64
# out p0 = v2
# requires no-alias a0 a0
