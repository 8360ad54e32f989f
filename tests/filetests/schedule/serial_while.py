# test schedule
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# A `while` has one schedule.
# How many iterations there are is known when the last one has run.
while m > 1:
    m = m // 2

# expect
# as written
#   serial
