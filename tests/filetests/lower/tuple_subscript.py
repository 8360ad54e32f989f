# test lower
# given n: py.i64; a: ndarray f64 2; s: py.f64
#
# A name that holds a tuple stands for a subscript for each element.
# The tuple is an object of its own only where the nest leaves it behind.
for i in range(n):
    at = (i, 0)
    s += a[at]
    a[at] = s

# expect
# a0 a: ndarray f64 as np.f64, rank 2, capture 5, read, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 at[0]: py.i64
# v4 at[1]: py.i64
# v5 s: np.f64 in 4
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = v1
#     v4 = 0
#     v5 = (v5 + x0:a0[v1, 0]!)
#     x1:a0[v1, 0]! = v5
# out p3 = tuple (v3, v4)
# out p0 = v2
# out p4 = v5
