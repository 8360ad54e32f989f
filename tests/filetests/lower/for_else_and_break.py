# test lower
# given a: list i64 1; n: py.i64
#
# For-else and break.
for i in range(n):
    for x in a:
        if x == i:
            break
    else:
        s = i

# expect
# a0 a: list i64 as py.i64, rank 1, capture 4, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 x: py.i64
# v4 x: py.i64
# v5: py.bool
# v6 s: py.i64
# v7: py.bool
# L0 i
# L1 x
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     scope s0
#       L1 for v3 in 0 .. dim(a0, 0) step 1
#         v4 = x0:a0[v3]!
#         v5 = true
#         if (v4 == v1)
#           leave s0
#       v6 = v1
#       v7 = true
# out p0 = v2
# out p3 = v4 if v5
# out p5 = v6 if v7
