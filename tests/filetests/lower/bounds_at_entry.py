# test lower
# given n: py.i64
#
# Bounds at entry.
for i in range(n):
    n = n + 5

# expect
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 n: py.i64 in 2
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = (v3 +! 5)
# out p0 = v2
# out p2 = v3
