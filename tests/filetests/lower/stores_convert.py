# test lower
# given n: py.i64; a: ndarray u8 1; b: ndarray bool 1; c: ndarray f32 1; x: py.f64
#
# Stores convert.
for i in range(n):
    a[i] = x
    b[i] = x
    c[i] = x
    c[i] = i

# expect
# a0 a: ndarray u8 as np.u8, rank 1, capture 3, written
# a1 b: ndarray bool as np.bool, rank 1, capture 5, written
# a2 c: ndarray f32 as np.f32, rank 1, capture 6, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 x: py.f64 in 4
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     x0:a0[v1]! = trunc!<np.u8>(v3)
#     x1:a1[v1]! = truth<py.bool>(v3)
#     x2:a2[v1]! = round!<py.f32>(v3)
#     x3:a2[v1]! = round<py.f32>(to<py.f64>(v1))
# out p0 = v2
