# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# ZIV: zero index variables, different elements.
# Two constant subscripts that differ never meet.
for i in range(n):
    b[0] = b[1]

# expect
# perhaps output b: x1 line 7 -> x1 line 7 (<) distance (?)
# L0: serial: an element written as `b[0]` (line 7) may be written as `b[0]` (line 7) in a later iteration of `i`
