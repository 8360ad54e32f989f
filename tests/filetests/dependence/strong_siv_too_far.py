# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# Strong SIV, further than the loop runs.
# A distance of 20 in a loop of ten iterations is no dependence.
for i in range(10):
    b[i] = b[i + 20]

# expect
# L0: parallel
