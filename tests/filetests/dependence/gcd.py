# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# The GCD test.
# 2i is even and 2j + 1 is odd: the equation has no integer solution.
for i in range(n):
    b[2 * i] = b[2 * i + 1]

# expect
# L0: parallel
