# test lower
# given n: py.i64; m: py.i64; s: py.i64
#
# A list that each iteration makes empty and appends to.
# It lies at the beginning of memory of the nest's own; a variable counts its elements.
for i in range(n):
    found = []
    for j in range(m):
        if i & j:
            found.append(j)
    s += len(found)

# expect
# a0 found: scratch i64 as py.i64, rank 1, capture 0, like (65536), written, list
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3: py.i64
# v4: py.i64
# v5 m: py.i64 in 5
# v6 j: py.i64
# v7 j: py.i64
# v8: py.bool
# v9 s: py.i64 in 7
# L0 i
# L1 j
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = 0
#     v4 = 0
#     L1 for v6 in 0 .. v5 step 1
#       v7 = v6
#       v8 = true
#       if truth<py.bool>((v1 & v6))
#         check! (v4 < dim(a0, 0))
#         x0:a0[v4] = v6
#         v4 = (v4 + 1)
#     v9 = (v9 +! v4)
# out p0 = v2
# out p3 = new a0[v4]
# out p4 = v7 if v8
# out p7 = v9
