# test lower
# given a: list f64 1; x: py.f64
#
# A return leaves the nest with a value.
for i in range(len(a)):
    if a[i] > x:
        return i, a[i]

# expect
# a0 a: list f64 as py.f64, rank 1, capture 3, read
# v0 i: py.i64
# v1 i: py.i64
# v2 x: py.f64 in 4
# v3: py.i64
# v4: py.f64
# L0 i
# top
#   L0 for v0 in 0 .. dim(a0, 0) step 1
#     v1 = v0
#     if (x0:a0[v0]! > v2)
#       v3 = v0
#       v4 = x1:a0[v0]!
#       return
# out p0 = v1
# returns tuple v3, v4
