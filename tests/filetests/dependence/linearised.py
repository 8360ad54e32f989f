# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# A linearised subscript.
# i * n + j with 0 <= j < n is a subscript of two axes, written as one.
for i in range(n):
    for j in range(n):
        b[i * n + j] = b[i * n + j] * 2.0

# expect
# perhaps anti b: x0 line 8 -> x1 line 8 (=, =) distance (0, 0)
# L0: parallel
# L1: parallel
