# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# MIV, coupled subscripts.
# Axis by axis each could meet; together j = j' + 1 and i + j = i' + j' leave (<, >) alone, at one distance.
for i in range(n):
    for j in range(n):
        a[i + j, j] = a[i + j, j + 1]

# expect
# perhaps flow a: x1 line 8 -> x0 line 8 (<, >) distance (1, -1)
# L0: serial: an element written as `a[i + j, j]` (line 8) may be read as `a[i + j, j + 1]` (line 8) in the next iteration of `i`
# L1: parallel
