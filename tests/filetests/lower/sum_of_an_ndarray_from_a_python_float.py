# test lower
# given n: py.i64; s: py.f64; a: ndarray f64 1
#
# Sum of an ndarray from a Python float.
for i in range(n):
    s += a[i]

# expect
# a0 a: ndarray f64 as np.f64, rank 1, capture 4, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 s: np.f64 in 3
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = (v3 + x0:a0[v1]!)
# out p0 = v2
# out p3 = v3
