# test lower
# given n: py.i64; a: list i64 1
#
# A variable that is perhaps assigned.
# A flag says whether it was; the live-out is written back only then.
for i in range(n):
    if a[i] > 0:
        found = i

# expect
# a0 a: list i64 as py.i64, rank 1, capture 3, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 found: py.i64
# v4: py.bool
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     if (x0:a0[v1]! > 0)
#       v3 = v1
#       v4 = true
# out p0 = v2
# out p4 = v3 if v4
