# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# A stencil's distance vectors.
# (1, 0) and (0, 1): each loop carries one, so neither is parallel, and interchange keeps both positive.
for i in range(1, n):
    for j in range(1, n):
        a[i, j] = a[i - 1, j] + a[i, j - 1]

# expect
# perhaps flow a: x2 line 8 -> x0 line 8 (<, =) distance (1, 0)
# perhaps flow a: x2 line 8 -> x1 line 8 (=, <) distance (0, 1)
# L0: serial: an element written as `a[i, j]` (line 8) may be read as `a[i - 1, j]` (line 8) in the next iteration of `i`
# L1: serial: an element written as `a[i, j]` (line 8) may be read as `a[i, j - 1]` (line 8) in the next iteration of `j`
