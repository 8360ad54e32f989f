# test lower
# given a: ndarray bool 1; n: py.i64
#
# And, or as values and as conditions.
for i in range(1, n):
    a[i] = a[i - 1] != (a[i] or a[i + 1])
    if a[i] and not a[0] or i > 5:
        k = i or 7

# expect
# a0 a: ndarray bool as np.bool, rank 1, capture 3, read, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3: np.bool
# v4 k: py.i64
# v5: py.bool
# L0 i
# top
#   L0 for v1 in 1 .. v0 step 1
#     v2 = v1
#     x3:a0[v1]! = (x0:a0[(v1 - 1)]! != {v3 = x1:a0[v1]!; (v3 ? v3 : x2:a0[(v1 + 1)]!)})
#     if ((x4:a0[v1]! ? not(x5:a0[0]!) : false) ? true : (v1 > 5))
#       v4 = (truth<py.bool>(v1) ? v1 : 7)
#       v5 = true
# out p0 = v2
# out p4 = v4 if v5
