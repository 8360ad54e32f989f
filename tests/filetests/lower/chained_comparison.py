# test lower
# given n: py.i64; a: list i64 1; k: py.i64
#
# A chained comparison binds its middle.
# `{v = a; b}` names a value that an expression uses twice; the select leaves out the second comparison.
for i in range(n):
    if 0 < a[i] < 9:
        k = k + 1

# expect
# a0 a: list i64 as py.i64, rank 1, capture 3, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3: py.i64
# v4 k: py.i64 in 4
# v5: py.bool
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     if {v3 = x0:a0[v1]!; ((0 < v3) ? (v3 < 9) : false)}
#       v4 = (v4 +! 1)
#       v5 = true
# out p0 = v2
# out p4 = v4 if v5
