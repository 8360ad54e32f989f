# test lower
# given x: py.f64; n: py.i64; a: ndarray f64 1
#
# Powers of ints and floats.
for i in range(n):
    y = x ** 2 + i ** 2 + i ** -1 + a[i] ** 3

# expect
# a0 a: ndarray f64 as np.f64, rank 1, capture 5, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 x: py.f64 in 4
# v4 y: np.f64
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v4 = ((((v3 **! 2.0) + to<py.f64>((v1 *! v1))) + (to<py.f64>(v1) **! -1.0)) + (x0:a0[v1]! **! 3.0:np.f64))
# out p0 = v2
# out p3 = v4
