# test schedule
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# A recurrence has one schedule.
# Nothing can run at once.
for i in range(1, n):
    b[i] = b[i - 1] * 0.5 + c[i]

# expect
# as written
#   serial
