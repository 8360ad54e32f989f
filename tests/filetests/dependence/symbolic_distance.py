# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# A symbolic distance.
# Whether iterations meet depends on m; the condition is looked at when the loop is launched.
for i in range(n):
    b[i] = b[i + m]

# expect
# perhaps anti b: x0 line 7 -> x1 line 7 (<) distance (?)
# perhaps anti b: x0 line 7 -> x1 line 7 (=) distance (0)
# perhaps flow b: x1 line 7 -> x0 line 7 (<) distance (?)
# L0: parallel, reading `b` as it was before the loop, if n + m <= 0 or m >= 0
