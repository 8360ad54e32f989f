# test schedule
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# Independent iterations run by lanes and on threads.
# The first candidate is always the serial one.
for i in range(n):
    c[i] = b[i] * 2.0

# expect
# as written
#   serial
# as written
#   independent L0
# as written
#   threads L0, last v2
#   independent L0
