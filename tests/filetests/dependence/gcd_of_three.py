# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# The GCD test with several counters.
# 4i + 6j is even wherever it is and 3 is not: the read meets no write. The writes meet each other, 3 iterations
# of i and -2 of j apart.
for i in range(n):
    for j in range(n):
        b[4 * i + 6 * j] = b[3]

# expect
# perhaps output b: x1 line 9 -> x1 line 9 (<, >) distance (?, ?)
# L0: serial: an element written as `b[4*i + 6*j]` (line 9) may be written as `b[4*i + 6*j]` (line 9) in a later iteration of `i`
# L1: parallel
