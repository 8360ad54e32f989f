# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# Weak-zero SIV: one subscript does not move.
# All iterations read the element that one of them writes; there is no one distance.
for i in range(n):
    b[i] = b[5] + c[i]

# expect
# perhaps anti b: x0 line 7 -> x2 line 7 (<) distance (?)
# perhaps anti b: x0 line 7 -> x2 line 7 (=) distance (0)
# perhaps flow b: x2 line 7 -> x0 line 7 (<) distance (?)
# L0: serial: an element read as `b[5]` (line 7) may be written as `b[i]` (line 7) in a later iteration of `i`
