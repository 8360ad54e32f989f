# test lower
# given n: py.i64; a: ndarray f64 2; y: ndarray f64 1
#
# A sum of all.
for i in range(1, n):
    y[i - 1] = a.sum()

# expect
# a0 a: ndarray f64 as np.f64, rank 2, capture 4, read
# a1 y: ndarray f64 as np.f64, rank 1, capture 3, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3: np.f64
# v4 row: py.i64
# v5 element: py.i64
# L0 i
# L1 row
# L2 element
# top
#   L0 for v1 in 1 .. v0 step 1
#     v2 = v1
#     v3 = 0.0:np.f64
#     L1 for v4 in 0 .. dim(a0, 0) step 1
#       L2 for v5 in 0 .. dim(a0, 1) step 1
#         v3 = np.add_flat_next!(v3, x0:a0[v4, v5])
#     x1:a1[(v1 - 1)]! = v3
# out p0 = v2
# requires contiguous a0
