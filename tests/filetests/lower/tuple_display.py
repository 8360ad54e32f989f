# test lower
# given a: ndarray f64 2
#
# Tuple display.
for i in range(1, a.shape[0] - 1):
    for dx, dy in ((0, 1), (1, 0)):
        a[i, i] += a[i + dx, i + dy]

# expect
# a0 a: ndarray f64 as np.f64, rank 2, capture 2, read, written
# v0 i: py.i64
# v1 i: py.i64
# v2 dx: py.i64
# v3 dy: py.i64
# L0 i
# top
#   L0 for v0 in 1 .. (dim(a0, 0) - 1) step 1
#     v1 = v0
#     v2 = 0
#     v3 = 1
#     x2:a0[v0, v0]! = (x0:a0[v0, v0]! + x1:a0[(v0 + 0), (v0 + 1)]!)
#     v2 = 1
#     v3 = 0
#     x5:a0[v0, v0]! = (x3:a0[v0, v0]! + x4:a0[(v0 + 1), (v0 + 0)]!)
# out p0 = v1
# out p4 = v2
# out p5 = v3
