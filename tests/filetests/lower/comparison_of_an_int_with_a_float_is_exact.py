# test lower
# given n: py.i64; x: py.f64; a: list i64 1
#
# Comparison of an int with a float is exact.
for i in range(n):
    b = a[i] < x <= i

# expect
# a0 a: list i64 as py.i64, rank 1, capture 4, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 x: py.f64 in 5
# v4 b: py.bool
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v4 = ((to!<py.f64>(x0:a0[v1]!) < v3) ? (v3 <= to!<py.f64>(v1)) : false)
# out p0 = v2
# out p3 = v4
