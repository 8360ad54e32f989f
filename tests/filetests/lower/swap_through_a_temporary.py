# test lower
# given n: py.i64; a: ndarray f64 1; b: ndarray f64 1
#
# Swap through a temporary.
for t in range(n):
    b[0] = a[0]
    tmp = a
    a = b
    b = tmp

# expect
# a0 a: ndarray f64 as np.f64, rank 1, capture 4, read
# a1 b: ndarray f64 as np.f64, rank 1, capture 3, written
# v0 n: py.i64 in 2
# v1 t: py.i64
# v2 t: py.i64
# v3: py.bool
# v4: py.bool
# v5: py.bool
# L0 t
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     x1:a1[0]! = x0:a0[0]!
#     check! (dim(a0, 0) == dim(a1, 0))
#     rebind a0 = a1, a1 = a0
#     v3 = not(v3)
#     v4 = not(v3)
#     v5 = v3
# out p0 = v2
# out p3 = slot a1
# out p4 = slot a0
# out p5 = view a1[] if v4
# out p5 = view a0[] if v5
