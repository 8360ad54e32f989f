# test lower
# given a: list i64 1; n: py.i64 0 1000
#
# Reversed ranges and sequences.
for i in reversed(range(n)):
    for x in reversed(a):
        s = x + i

# expect
# a0 a: list i64 as py.i64, rank 1, capture 5, read
# v0 n: py.i64 in 3 range 0..=1000
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
#   L0 for v1 in (v0 - 1) .. -1 step -1
#     v2 = v1
#     L1 for v3 in (dim(a0, 0) - 1) .. -1 step -1
#       v4 = x0:a0[v3]!
#       v5 = true
#       v6 = (v4 +! v1)
#       v7 = true
# out p0 = v2
# out p4 = v4 if v5
# out p6 = v6 if v7
