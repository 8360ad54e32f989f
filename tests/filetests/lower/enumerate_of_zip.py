# test lower
# given a: list f64 1; b: list f64 1; c: ndarray f64 1
#
# Enumerate of zip.
for i, (x, y) in enumerate(zip(a, b)):
    c[i] = x * y

# expect
# a0 a: list f64 as py.f64, rank 1, capture 5, read
# a1 b: list f64 as py.f64, rank 1, capture 6, read
# a2 c: ndarray f64 as np.f64, rank 1, capture 7, written
# v0: py.i64
# v1 i: py.i64
# v2 x: py.f64
# v3 y: py.f64
# L0 "i, x, y"
# top
#   L0 for v0 in 0 .. min(dim(a0, 0), dim(a1, 0)) step 1
#     v1 = v0
#     v2 = x0:a0[v0]!
#     v3 = x1:a1[v0]!
#     x2:a2[v0]! = (v2 * v3)
# out p0 = v1
# out p1 = v2
# out p2 = v3
