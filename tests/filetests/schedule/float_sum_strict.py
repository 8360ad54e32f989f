# test schedule
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64; s: py.f64
#
# A sum of floats under strict arithmetic.
# Its order is kept: neither lanes nor threads.
for i in range(n):
    s = s + b[i]

# expect
# as written
#   serial
