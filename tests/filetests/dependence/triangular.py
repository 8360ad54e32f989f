# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# A triangular domain.
# Only elements below the diagonal are written and only those above it are read.
for i in range(n):
    for j in range(i):
        a[i, j] = a[j, i]

# expect
# L0: parallel
# L1: parallel
