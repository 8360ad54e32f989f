# test lower
# given n: py.i64; a: ndarray f64 1; best: py.f64
#
# The float of a literal text is a constant.
# Programs write infinity so that do not import `math`.
for i in range(n):
    best = float("inf")
    if a[i] < best:
        best = a[i]

# expect
# a0 a: ndarray f64 as np.f64, rank 1, capture 5, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 best: py.f64
# v4: py.bool
# v5: py.bool
# v6 best: np.f64
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = inf
#     v4 = true
#     v5 = false
#     if (x0:a0[v1]! < inf)
#       v6 = x1:a0[v1]!
#       v4 = false
#       v5 = true
# out p0 = v2
# out p3 = v3 if v4
# out p3 = v6 if v5
