# test lower
# given a: ndarray f64 1
#
# Inlined function with early returns.
def clip(x, lo, hi):
    if x < lo:
        return lo
    if x > hi:
        return hi
    return x
for i in range(len(a)):
    a[i] = clip(a[i], 0.0, 1.0)

# expect
# a0 a: ndarray f64 as np.f64, rank 1, capture 3, read, written
# v0 i: py.i64
# v1 i: py.i64
# v2 clip.x: np.f64
# v3 clip(): dyn.f64
# L0 i
# top
#   L0 for v0 in 0 .. dim(a0, 0) step 1
#     v1 = v0
#     v2 = x0:a0[v0]!
#     if (v2 < 0.0)
#       v3 = 0.0:dyn.f64
#     else
#       if (v2 > 1.0)
#         v3 = 1.0:dyn.f64
#       else
#         v3 = v2
#     x1:a0[v0]! = v3
# out p0 = v1
