# test lower
# given a: list f64 1
#
# While with an insertion.
for i in range(1, len(a)):
    v = a[i]
    j = i
    while j > 0 and a[j - 1] > v:
        a[j] = a[j - 1]
        j -= 1
    a[j] = v

# expect
# a0 a: list f64 as py.f64, rank 1, capture 3, read, written
# v0 i: py.i64
# v1 i: py.i64
# v2 v: py.f64
# v3 j: py.i64
# L0 i
# top
#   L0 for v0 in 1 .. dim(a0, 0) step 1
#     v1 = v0
#     v2 = x0:a0[v0]!
#     v3 = v0
#     L1 while ((v3 > 0) ? (x1:a0[(v3 -! 1)]! > v2) : false)
#       x3:a0[v3]! = x2:a0[(v3 -! 1)]!
#       v3 = (v3 -! 1)
#     x4:a0[v3]! = v2
# out p0 = v1
# out p4 = v2
# out p5 = v3
