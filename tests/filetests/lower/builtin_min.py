# test lower
# given n: py.i64; a: list f64 1; m: py.f64
#
# Python's `min`.
# It gives the first of equal operands, so it is a comparison and a select, not the IEEE minimum.
for i in range(n):
    m = min(m, a[i])

# expect
# a0 a: list f64 as py.f64, rank 1, capture 5, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 m: py.f64 in 3
# v4: py.f64
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = {v4 = x0:a0[v1]!; ((v4 < v3) ? v4 : v3)}
# out p0 = v2
# out p3 = v3
