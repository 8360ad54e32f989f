# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# A dependence inside one iteration.
# It is carried by no loop (=): the iterations may run in any order.
for i in range(n):
    b[i] = c[i]
    c[i] = b[i] * 2.0

# expect
# perhaps anti c: x0 line 7 -> x3 line 8 (=) distance (0)
# perhaps flow b: x1 line 7 -> x2 line 8 (=) distance (0)
# L0: parallel
