# test lower
# given n: py.i64; xs: list f64 1; xs.append: append
#
# Appending to a list that is read.
for i in range(n):
    xs.append(xs[-1] + xs[i] * len(xs))

# expect
# a0 xs: appended f64 as py.f64, rank 1, capture 4, read, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3: py.i64 in 4 range 0..=9223372036854775807
# v4: py.i64
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v4 = (-1 +! v3)
#     check! (v4 >= 0)
#     check! (v4 < v3)
#     check! (v1 < v3)
#     x2:a0[v3]! = (x0:a0[v4]! + (x1:a0[v1]! * to<py.f64>(v3)))
#     v3 = (v3 + 1)
# out p0 = v2
# out p4 = v3 of a0
