# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# A stride.
# The loop writes even elements and reads odd ones: the counter is 2k.
for i in range(0, n, 2):
    b[i] = b[i + 1]

# expect
# L0: parallel
