# test schedule
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
# option eager
#
# A work array.
# Each thread has a copy of its own.
for i in range(n):
    for j in range(9):
        b[j] = a[i, j]
    for h in range(9):
        c[i] = c[i] + b[h]

# expect
# as written
#   serial
# as written
#   independent L1
# as written
#   threads L0, last v2, last v4, last v6, private a1
#   independent L1
# scalar-replacement
#   L0 for v1 in 0 .. v0 step 1
#   L1 for v3 in 0 .. 9 step 1
#   L2 for v5 in 0 .. 9 step 1
#   independent L1
# scalar-replacement
#   L0 for v1 in 0 .. v0 step 1
#   L1 for v3 in 0 .. 9 step 1
#   L2 for v5 in 0 .. 9 step 1
#   threads L0, last v2, last v4, last v6, private a1
#   independent L1
