# test schedule
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# A variable whose last value is wanted.
# The thread with the last iteration leaves it.
for i in range(n):
    x = b[i] * 2.0
    c[i] = x

# expect
# as written
#   serial
# as written
#   independent L0
# as written
#   threads L0, last v2, last v3
#   independent L0
