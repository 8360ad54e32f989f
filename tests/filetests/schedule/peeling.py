# test schedule
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# A loop whose ends are peeled.
# In the interior the subscript does not wrap, and the interior runs by lanes.
for i in range(n):
    c[i] = b[(i + 1) % n]

# expect
# as written
#   serial
# as written
#   independent L0
#   peeled L0
# as written
#   threads L0, last v2
#   independent L0
#   peeled L0
