# test schedule
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64; s: py.f64
# option fp=fast
#
# A sum of floats under fast arithmetic.
# Each thread has a partial sum.
for i in range(n):
    s = s + b[i]

# expect
# as written
#   serial
# as written
#   threads L0, reduce v3 by +, last v2
