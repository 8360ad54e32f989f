# test lower
# given n: py.i64; a: ndarray f32 1
#
# A Python float with a `float32` (NEP 50).
# The Python scalar is weak: the result is a `float32`.
for i in range(n):
    a[i] = a[i] * 0.5

# expect
# a0 a: ndarray f32 as np.f32, rank 1, capture 3, read, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     x1:a0[v1]! = (x0:a0[v1]! * 0.5:np.f32)
# out p0 = v2
