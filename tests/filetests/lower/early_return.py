# test lower
# given n: py.i64; a: ndarray f64 2
#
# A `return` out of nested loops.
# The variables of the result are set, then the nest ends; `returns` says how they are boxed.
for i in range(n):
    for j in range(n):
        if a[i, j] > 0.0:
            return i, j

# expect
# a0 a: ndarray f64 as np.f64, rank 2, capture 4, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 j: py.i64
# v4 j: py.i64
# v5: py.bool
# v6: py.i64
# v7: py.i64
# L0 i
# L1 j
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     L1 for v3 in 0 .. v0 step 1
#       v4 = v3
#       v5 = true
#       if (x0:a0[v1, v3]! > 0.0)
#         v6 = v1
#         v7 = v3
#         return
# out p0 = v2
# out p3 = v4 if v5
# returns tuple v6, v7
