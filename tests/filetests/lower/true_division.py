# test lower
# given n: py.i64; s: py.f64
#
# True division of ints.
# The guard is for a divisor of zero; both operands become floats before.
for i in range(n):
    s = s + i / n

# expect
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 s: py.f64 in 3
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = (v3 + (to!<py.f64>(v1) /! to!<py.f64>(v0)))
# out p0 = v2
# out p3 = v3
