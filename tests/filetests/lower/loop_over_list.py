# test lower
# given a: list f64 1; s: py.f64
#
# A loop over the elements of a list.
# The list is captured as a row-major buffer, and a hidden counter runs over it.
for x in a:
    s = s + x

# expect
# a0 a: list f64 as py.f64, rank 1, capture 1, read
# v0 x: py.i64
# v1 x: py.f64
# v2 s: py.f64 in 2
# L0 x
# top
#   L0 for v0 in 0 .. dim(a0, 0) step 1
#     v1 = x0:a0[v0]!
#     v2 = (v2 + v1)
# out p0 = v1
# out p2 = v2
