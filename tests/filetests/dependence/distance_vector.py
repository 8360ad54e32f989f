# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# A distance vector.
# Both loops together: (1, -1). Loop L0 carries it; inside one iteration of L0 the loop L1 is free.
for i in range(1, n):
    for j in range(n - 1):
        a[i, j] = a[i - 1, j + 1]

# expect
# perhaps flow a: x1 line 8 -> x0 line 8 (<, >) distance (1, -1)
# L0: serial: an element written as `a[i, j]` (line 8) may be read as `a[i - 1, j + 1]` (line 8) in the next iteration of `i`
# L1: parallel
