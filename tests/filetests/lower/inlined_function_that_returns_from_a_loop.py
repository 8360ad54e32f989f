# test lower
# given a: list i64 1; n: py.i64
#
# Inlined function that returns from a loop.
def find(v, x):
    for k in range(len(v)):
        if v[k] == x:
            return k
    return -1
for i in range(n):
    k = find(a, i)

# expect
# a0 a: list i64 as py.i64, rank 1, capture 5, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 find.k: py.i64
# v4 find(): py.i64
# v5 k: py.i64
# L0 i
# L1 find.k
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     scope s0
#       L1 for v3 in 0 .. dim(a0, 0) step 1
#         if (x0:a0[v3]! == v1)
#           v4 = v3
#           leave s0
#       v4 = -1
#     v5 = v4
# out p0 = v2
# out p3 = v5
