# test lower
# given n: py.i64
#
# A function that calls itself is a loop over its states.
def f(x):
    if x < 1:
        return 0
    return f(x - 1) + x
for i in range(n):
    s = f(i)

# expect
# a0 "the calls of f": scratch i64 as py.i64, rank 1, capture 0, like (850), read, written, list
# a1 "what the calls of f keep of f.x": scratch i64 as py.i64, rank 1, capture 0, like (850), read, written, list
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 f.x: py.i64
# v4 f(): py.i64
# v5: py.i64
# v6: py.i64
# v7: py.i64
# v8: py.i64
# v9 "f: state": py.i64
# v10: py.i64
# v11: py.i64
# v12 f.x: py.i64
# v13: py.i64
# v14: py.i64
# v15: py.i64
# v16: py.i64
# v17: py.i64
# v18 s: py.i64
# L0 i
# frames 850
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = v1
#     v4 = 0
#     v5 = 0
#     v6 = 0
#     v7 = 0
#     v8 = 0
#     v9 = 0
#     L1 while true
#       if (v9 == 0)
#         if (v3 < 1)
#           v4 = 0
#           if (v6 == 0)
#             break L1
#           else
#             check! (v6 > 0)
#             v10 = (v6 - 1)
#             v6 = v10
#             v11 = x0:a0[v10]!
#             v9 = v11
#         else
#           v12 = (v3 -! 1)
#           check! (v8 < dim(a1, 0))
#           x1:a1[v8] = v3
#           v8 = (v8 + 1)
#           check! (v6 < dim(a0, 0))
#           x2:a0[v6] = 1
#           v6 = (v6 + 1)
#           v3 = v12
#           v9 = 0
#       else
#         check! (v8 > 0)
#         v13 = (v8 - 1)
#         v8 = v13
#         v14 = x3:a1[v13]!
#         v3 = v14
#         v15 = v4
#         v4 = (v15 +! v3)
#         if (v6 == 0)
#           break L1
#         else
#           check! (v6 > 0)
#           v16 = (v6 - 1)
#           v6 = v16
#           v17 = x4:a0[v16]!
#           v9 = v17
#     v18 = v4
# out p0 = v2
# out p3 = v18
