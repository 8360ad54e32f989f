# test lower
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 2
#
# Whole arrays.
for i in range(n):
    s = a[i] + b[i]

# expect
# a0 a: ndarray f64 as np.f64, rank 2, capture 4, read
# a1 b: ndarray f64 as np.f64, rank 2, capture 5, read
# a2 s: scratch f64 as np.f64, rank 1, capture 0, like (dim(capture 4, 1)), written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 element: py.i64
# v4: py.i64
# v5: py.i64
# L0 i
# L1 element
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     check! (v1 < dim(a0, 0))
#     check! (v1 < dim(a1, 0))
#     check! (dim(a0, 1) == dim(a1, 1))
#     L1 for v3 in 0 .. dim(a0, 1) step 1
#       x2:a2[v3] = (x0:a0[v1, v3] + x1:a1[v1, v3])
#     v4 = 0
#     v5 = dim(a0, 1)
# out p0 = v2
# out p3 = new a2[v5]
