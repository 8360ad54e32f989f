# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# ZIV: zero index variables, one element.
# Every iteration meets every later one: the direction is <, and no distance is one number.
for i in range(n):
    b[3] = b[3] + 1.0

# expect
# perhaps anti b: x0 line 7 -> x1 line 7 (<) distance (?)
# perhaps anti b: x0 line 7 -> x1 line 7 (=) distance (0)
# perhaps flow b: x1 line 7 -> x0 line 7 (<) distance (?)
# perhaps output b: x1 line 7 -> x1 line 7 (<) distance (?)
# L0: serial: an element read as `b[3]` (line 7) may be written as `b[3]` (line 7) in a later iteration of `i`
