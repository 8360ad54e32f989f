# test lower
# given n: py.i64; m: py.i64; a: ndarray f64 1; b: ndarray f64 1
#
# Two arrays that trade names.
# Slots are permuted, no element moves; both have to be of one shape.
for t in range(n):
    for i in range(1, m):
        b[i] = a[i - 1]
    a, b = b, a

# expect
# a0 a: ndarray f64 as np.f64, rank 1, capture 6, read
# a1 b: ndarray f64 as np.f64, rank 1, capture 5, written
# v0 n: py.i64 in 2
# v1 t: py.i64
# v2 t: py.i64
# v3 m: py.i64 in 4
# v4 i: py.i64
# v5 i: py.i64
# v6: py.bool
# v7: py.bool
# L0 t
# L1 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     L1 for v4 in 1 .. v3 step 1
#       v5 = v4
#       v6 = true
#       x1:a1[v4]! = x0:a0[(v4 - 1)]!
#     check! (dim(a0, 0) == dim(a1, 0))
#     rebind a0 = a1, a1 = a0
#     v7 = not(v7)
# out p0 = v2
# out p3 = v5 if v6
# out p5 = slot a1
# out p6 = slot a0
