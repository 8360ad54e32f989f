# test lower
# given a: list i64 1; n: py.i64
#
# Sum, min and max of a list.
for i in range(n):
    s = sum(a) + max(a)

# expect
# a0 a: list i64 as py.i64, rank 1, capture 5, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3: py.i64
# v4: py.i64
# v5: py.i64
# v6: py.i64
# v7 s: py.i64
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = 0
#     L1 for v4 in 0 .. dim(a0, 0) step 1
#       v3 = (v3 +! x0:a0[v4]!)
#     check! (dim(a0, 0) > 0)
#     v5 = x1:a0[0]!
#     L2 for v6 in 1 .. dim(a0, 0) step 1
#       v5 = max(v5, x2:a0[v6]!)
#     v7 = (v3 +! v5)
# out p0 = v2
# out p3 = v7
