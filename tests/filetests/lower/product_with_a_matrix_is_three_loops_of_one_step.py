# test lower
# given n: py.i64; a: ndarray f64 2; x: ndarray f64 1; y: ndarray f64 2
#
# A product with a matrix is three loops of one step.
for i in range(n):
    y[i] = a.T @ x

# expect
# a0 a: ndarray f64 as np.f64, rank 2, capture 4, read
# a1 x: ndarray f64 as np.f64, rank 1, capture 6, read
# a2 "a result": scratch f64 as np.f64, rank 1, capture 0, like (dim(capture 4, 1)), read, written
# a3 y: ndarray f64 as np.f64, rank 2, capture 3, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3: np.f64
# v4 row: py.i64
# v5 column: py.i64
# v6 element: py.i64
# v7 element: py.i64
# L0 i
# L1 row
# L2 column
# L3 element
# L4 element
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     check! (dim(a0, 0) == dim(a1, 0))
#     v3 = 0.0:np.f64
#     L1 for v4 in 0 .. dim(a0, 1) step 1
#       L2 for v5 in 0 .. 1 step 1
#         L3 for v6 in 0 .. dim(a0, 0) step 1
#           v3 = np.matmul_each_next!(v3, x0:a0[v6, v4], x1:a1[v6])
#         x2:a2[v4] = v3
#     check! (v1 < dim(a3, 0))
#     check! (dim(a3, 1) == dim(a0, 1))
#     L4 for v7 in 0 .. dim(a3, 1) step 1
#       x4:a3[v1, v7] = x3:a2[v7]
# out p0 = v2
# requires no-alias a2 a3
# requires no-alias a3 a3
