# test lower
# given n: py.i64; a: list f64 2; b: list f64 2
#
# An int start value over lists of floats.
for i in range(n):
    s = 0
    for j in range(n):
        s += a[i][j]
    b[i][0] = s

# expect
# a0 a: list f64 as py.f64, rank 2, capture 5, read
# a1 b: list f64 as py.f64, rank 2, capture 6, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 s: py.f64
# v4: py.bool
# v5 s: py.i64
# v6: py.bool
# v7: py.bool
# v8 j: py.i64
# v9 j: py.i64
# v10: py.bool
# L0 i
# L1 j
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = 0.0
#     v7 = false
#     v5 = 0
#     v4 = true
#     v6 = false
#     L1 for v8 in 0 .. v0 step 1
#       v9 = v8
#       v10 = true
#       v3 = (v3 + x0:a0[v1, v8]!)
#       v7 = true
#       v4 = false
#       v6 = true
#     check! v7
#     x1:a1[v1, 0]! = v3
# out p0 = v2
# out p3 = v5 if v4
# out p3 = v3 if v6
# out p4 = v9 if v10
