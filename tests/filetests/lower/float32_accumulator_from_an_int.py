# test lower
# given a: ndarray f32 2; b: ndarray f32 1
#
# Float32 accumulator from an int.
for i in range(a.shape[0]):
    s = 0
    for j in range(a.shape[1]):
        s += a[i, j]
    b[i] = s

# expect
# a0 a: ndarray f32 as np.f32, rank 2, capture 2, read
# a1 b: ndarray f32 as np.f32, rank 1, capture 6, written
# v0 i: py.i64
# v1 i: py.i64
# v2 s: np.f32
# v3: py.bool
# v4 s: py.i64
# v5: py.bool
# v6 j: py.i64
# v7 j: py.i64
# v8: py.bool
# L0 i
# L1 j
# top
#   L0 for v0 in 0 .. dim(a0, 0) step 1
#     v1 = v0
#     v2 = 0.0:np.f32
#     v4 = 0
#     v3 = true
#     v5 = false
#     L1 for v6 in 0 .. dim(a0, 1) step 1
#       v7 = v6
#       v8 = true
#       v2 = (v2 + x0:a0[v0, v6]!)
#       v3 = false
#       v5 = true
#     x1:a1[v0]! = v2
# out p0 = v1
# out p4 = v4 if v3
# out p4 = v2 if v5
# out p5 = v7 if v8
