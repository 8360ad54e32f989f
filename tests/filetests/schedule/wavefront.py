# test schedule
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# Gauss and Seidel's sweep.
# No loop is parallel as written; tiles on an anti-diagonal are.
for t in range(m):
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            a[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])

# expect
# as written
#   serial
# wavefront
#   L0 for v1 in 0 .. v0 step 1
#   L1 for v10 in to<py.i64>(0:py.i128) .. v14 step 1
#   L2 for v11 in to<py.i64>(max(0:py.i128, ((to<py.i128>(v10) + 1:py.i128) - to<py.i128>(v13)))) .. to<py.i64>(min(to<py.i128>(v12), (to<py.i128>(v10) + 1:py.i128))) step 1
#   L3 for v4 in to<py.i64>((1:py.i128 + (to<py.i128>(v11) * 32:py.i128))) .. to<py.i64>(min(((1:py.i128 + (to<py.i128>(v11) * 32:py.i128)) + 32:py.i128), to<py.i128>((v3 - 1)))) step 1
#   L4 for v7 in to<py.i64>((1:py.i128 + ((to<py.i128>(v10) - to<py.i128>(v11)) * 128:py.i128))) .. to<py.i64>(min(((1:py.i128 + ((to<py.i128>(v10) - to<py.i128>(v11)) * 128:py.i128)) + 128:py.i128), to<py.i128>((v3 - 1)))) step 1
#   threads L2, last v2, last v5, last v6, last v8, last v9
