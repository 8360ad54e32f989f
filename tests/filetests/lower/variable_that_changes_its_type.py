# test lower
# given n: py.i64; a: ndarray f32 1; k: py.f64
#
# A variable that changes its type.
for i in range(n):
    s = 0.0
    for x in a:
        s = s * k + x

# expect
# a0 a: ndarray f32 as np.f32, rank 1, capture 5, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 s: np.f32
# v4: py.bool
# v5 s: py.f64
# v6: py.bool
# v7: py.bool
# v8 x: py.i64
# v9 x: np.f32
# v10: py.bool
# v11 k: py.f64 in 6
# v12: py.bool
# v13: np.f32
# L0 i
# L1 x
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = 0.0:np.f32
#     v7 = false
#     v5 = 0.0
#     v4 = true
#     v6 = false
#     L1 for v8 in 0 .. dim(a0, 0) step 1
#       v9 = x0:a0[v8]!
#       v10 = true
#       v12 = v7
#       v13 = v3
#       v3 = (round!<dyn.f32>(((v12 ? true : false) ? to<np.f64>((v13 * round!<py.f32>(v11))) : (to<np.f64>(v13) * v11):py.f64)) + v9)
#       v7 = true
#       v4 = false
#       v6 = true
# out p0 = v2
# out p3 = v5 if v4
# out p3 = v3 if v6
# out p4 = v9 if v10
