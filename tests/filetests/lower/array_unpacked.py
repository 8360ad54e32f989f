# test lower
# given n: py.i64; a: ndarray f64 2; s: py.f64
#
# An array unpacked.
for i in range(n):
    x, y = a[i]
    s += x * y

# expect
# a0 a: ndarray f64 as np.f64, rank 2, capture 5, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 x: np.f64
# v4 y: np.f64
# v5 s: np.f64 in 6
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     check! (v1 < dim(a0, 0))
#     check! (dim(a0, 1) == 2)
#     v3 = x0:a0[v1, 0]!
#     v4 = x1:a0[v1, 1]!
#     v5 = (v5 + (v3 * v4))
# out p0 = v2
# out p3 = v3
# out p4 = v4
# out p6 = v5
