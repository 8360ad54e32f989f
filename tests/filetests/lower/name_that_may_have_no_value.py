# test lower
# given n: py.i64
#
# A name that may have no value.
for i in range(n):
    for j in range(i):
        t = j
    s = t

# expect
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 j: py.i64
# v4 j: py.i64
# v5: py.bool
# v6 t: py.i64
# v7: py.bool
# v8 s: py.i64
# L0 i
# L1 j
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     L1 for v3 in 0 .. v1 step 1
#       v4 = v3
#       v5 = true
#       v6 = v3
#       v7 = true
#     check! v7
#     v8 = v6
# out p0 = v2
# out p3 = v4 if v5
# out p4 = v6 if v7
# out p5 = v8
