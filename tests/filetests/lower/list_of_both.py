# test lower
# given a: list num 1; s: py.i64
#
# List of both.
for x in a:
    s += x

# expect
# a0 a: list num as py.num, rank 1, capture 1, read
# v0 x: py.i64
# v1 x: py.num
# v2 s: py.num in 2
# L0 x
# top
#   L0 for v0 in 0 .. dim(a0, 0) step 1
#     v1 = x0:a0[v0]!
#     v2 = (v2 +! v1)
# out p0 = v1
# out p2 = v2
