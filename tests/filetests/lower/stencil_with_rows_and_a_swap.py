# test lower
# given steps: py.i64; n: py.i64; a: ndarray f64 2; b: ndarray f64 2
#
# Stencil with rows and a swap.
for _ in range(steps):
    for i in range(1, n - 1):
        row = a[i]
        for j in range(1, n - 1):
            b[i, j] = 0.25 * (row[j - 1] + row[j + 1] + a[i - 1, j] + a[i + 1, j])
    a, b = b, a

# expect
# a0 a: ndarray f64 as np.f64, rank 2, capture 6, read
# a1 b: ndarray f64 as np.f64, rank 2, capture 8, written
# v0 steps: py.i64 in 2
# v1 _: py.i64
# v2 _: py.i64
# v3 n: py.i64 in 4
# v4 i: py.i64
# v5 i: py.i64
# v6: py.bool
# v7: py.i64
# v8: py.bool
# v9: py.bool
# v10: py.bool
# v11 j: py.i64
# v12 j: py.i64
# v13: py.bool
# L0 _
# L1 i
# L2 j
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     L1 for v4 in 1 .. (v3 -! 1) step 1
#       v5 = v4
#       v6 = true
#       check! (v4 < dim(a0, 0))
#       v7 = v4
#       v8 = not(v10)
#       v9 = v10
#       L2 for v11 in 1 .. (v3 -! 1) step 1
#         v12 = v11
#         v13 = true
#         x4:a1[v4, v11]! = (0.25:np.f64 * (((x0:a0[v4, (v11 - 1)]! + x1:a0[v4, (v11 + 1)]!) + x2:a0[(v4 - 1), v11]!) + x3:a0[(v4 + 1), v11]!))
#     check! (dim(a0, 0) == dim(a1, 0))
#     check! (dim(a0, 1) == dim(a1, 1))
#     rebind a0 = a1, a1 = a0
#     v10 = not(v10)
# out p0 = v2
# out p3 = v5 if v6
# out p5 = view a0[v7] if v8
# out p5 = view a1[v7] if v9
# out p6 = slot a0
# out p7 = v12 if v13
# out p8 = slot a1
