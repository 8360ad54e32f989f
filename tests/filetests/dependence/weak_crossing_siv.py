# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# Weak-crossing SIV: coefficients of opposite signs.
# Iterations i and 9 - i meet, so every dependence crosses the middle.
for i in range(10):
    b[i] = b[9 - i]

# expect
# anti b: x0 line 7 -> x1 line 7 (<) distance (?)
# flow b: x1 line 7 -> x0 line 7 (<) distance (?)
# L0: serial: an element read as `b[-i + 9]` (line 7) may be written as `b[i]` (line 7) in a later iteration of `i`
