# test lower
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 2; c: ndarray f64 2
#
# Matrix product with a scalar accumulator.
for i in range(n):
    for j in range(n):
        s = 0.0
        for k in range(n):
            s += a[i, k] * b[k, j]
        c[i, j] = s

# expect
# a0 a: ndarray f64 as np.f64, rank 2, capture 6, read
# a1 b: ndarray f64 as np.f64, rank 2, capture 7, read
# a2 c: ndarray f64 as np.f64, rank 2, capture 8, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 j: py.i64
# v4 j: py.i64
# v5: py.bool
# v6 s: dyn.f64 tag v8
# v7: py.bool
# v8: py.bool
# v9 k: py.i64
# v10 k: py.i64
# v11: py.bool
# L0 i
# L1 j
# L2 k
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     L1 for v3 in 0 .. v0 step 1
#       v4 = v3
#       v5 = true
#       v6 = 0.0:dyn.f64
#       v8 = false
#       v7 = true
#       L2 for v9 in 0 .. v0 step 1
#         v10 = v9
#         v11 = true
#         v6 = (v6 + (x0:a0[v1, v9]! * x1:a1[v9, v3]!))
#         v8 = true
#         v7 = true
#       x2:a2[v1, v3]! = v6
# out p0 = v2
# out p3 = v4 if v5
# out p4 = v6 if v7
# out p5 = v10 if v11
