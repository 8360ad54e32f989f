# test lower
# given n: py.i64; x: ndarray f64 1; y: ndarray f64 2
#
# A rolled array is two copies.
for i in range(n):
    y[i] = np.roll(x, 1)

# expect
# a0 x: ndarray f64 as np.f64, rank 1, capture 6, read
# a1 "a result": scratch f64 as np.f64, rank 1, capture 0, like (dim(capture 6, 0)), read, written
# a2 y: ndarray f64 as np.f64, rank 2, capture 3, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 element: py.i64
# v4 element: py.i64
# v5 element: py.i64
# L0 i
# L1 element
# L2 element
# L3 element
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     check! (dim(a0, 0) >= 1)
#     L1 for v3 in 0 .. 1 step 1
#       x1:a1[0] = x0:a0[(dim(a0, 0) - 1)]
#     L2 for v4 in 0 .. (dim(a0, 0) - 1) step 1
#       x3:a1[(v4 + 1)] = x2:a0[v4]
#     check! (v1 < dim(a2, 0))
#     check! (dim(a2, 1) == dim(a0, 0))
#     L3 for v5 in 0 .. dim(a2, 1) step 1
#       x5:a2[v1, v5] = x4:a1[v5]
# out p0 = v2
# requires no-alias a1 a2
# requires no-alias a2 a2
