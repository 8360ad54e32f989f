# test lower
# given z: py.c128; n: py.i64; a: ndarray c128 1
#
# Complex numbers: parts, products, magnitudes.
for i in range(n):
    z = z * z + a[i]
    r = z.real * z.real + abs(z)

# expect
# a0 a: ndarray c128 as np.c128, rank 1, capture 4, read
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 z: np.c128 in 3
# v4: py.bool
# v5 r: dyn.f64 tag v6
# v6: py.bool
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = ((v3 * v3):dyn.c128 + x0:a0[v1]!)
#     v4 = true
#     v5 = ((real(v3):dyn.f64 * real(v3):dyn.f64) + abs!(v3):dyn.f64)
#     v6 = ((v4 ? true : v4) ? true : v4)
# out p0 = v2
# out p3 = v3
# out p5 = v5
