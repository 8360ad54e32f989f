# test lower
# given n: py.i64; a: list f64 1; s: py.f64
#
# A function of `math`.
# It is CPython's, to the bit, and guarded where CPython raises.
for i in range(n):
    s = s + math.sqrt(a[i])

# expect
# a0 a: list f64 as py.f64, rank 1, capture 6, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 s: py.f64 in 3
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = (v3 + math.sqrt!(x0:a0[v1]!))
# out p0 = v2
# out p3 = v3
