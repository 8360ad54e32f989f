# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# Strong SIV: one index variable with equal coefficients.
# The distance is the difference of the constants: what iteration i writes, iteration i + 2 reads.
for i in range(2, n):
    b[i] = b[i - 2] + 1.0

# expect
# perhaps flow b: x1 line 7 -> x0 line 7 (<) distance (2)
# L0: serial: an element written as `b[i]` (line 7) may be read as `b[i - 2]` (line 7) 2 iterations of `i` later
