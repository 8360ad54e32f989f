# test lower
# given n: py.i64; x: py.i64; a: ndarray f64 1
#
# Linear congruence in 128 bits.
for i in range(n):
    x = (x * 1103515245 + 12345) % 2147483648
    a[i] = x / 2147483648

# expect
# a0 a: ndarray f64 as np.f64, rank 1, capture 4, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 x: py.i64 in 3
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = to<py.i64>((((to<py.i128>(v3) * 1103515245:py.i128) + 12345:py.i128) % 2147483648:py.i128))
#     x0:a0[v1]! = (to!<py.f64>(v3) / 2147483648.0)
# out p0 = v2
# out p3 = v3
