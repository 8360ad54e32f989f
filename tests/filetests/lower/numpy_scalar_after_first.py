# test lower
# given n: py.i64; m: py.i64; a: ndarray f64 1; c: ndarray f64 1
#
# A variable that is Python's first and NumPy's later.
# Its type is `dyn`; a tag says whose it is, for the type that CPython would see afterwards.
for i in range(n):
    s = 0.0
    for j in range(m):
        s += a[j]
    c[i] = s

# expect
# a0 a: ndarray f64 as np.f64, rank 1, capture 6, read
# a1 c: ndarray f64 as np.f64, rank 1, capture 7, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 s: dyn.f64 tag v4
# v4: py.bool
# v5 m: py.i64 in 5
# v6 j: py.i64
# v7 j: py.i64
# v8: py.bool
# L0 i
# L1 j
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = 0.0:dyn.f64
#     v4 = false
#     L1 for v6 in 0 .. v5 step 1
#       v7 = v6
#       v8 = true
#       v3 = (v3 + x0:a0[v6]!)
#       v4 = true
#     x1:a1[v1]! = v3
# out p0 = v2
# out p3 = v3
# out p4 = v7 if v8
