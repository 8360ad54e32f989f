# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# An output dependence.
# Iteration i writes what iteration i + 1 writes again: the order decides what stays.
for i in range(n):
    b[i] = 1.0
    b[i + 1] = 2.0

# expect
# perhaps output b: x1 line 8 -> x0 line 7 (<) distance (1)
# L0: serial: an element written as `b[i + 1]` (line 8) may be written as `b[i]` (line 7) in the next iteration of `i`
