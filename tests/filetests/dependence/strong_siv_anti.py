# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# Strong SIV with the read first.
# The iteration that reads comes before the one that writes: an anti-dependence, which a copy of the array removes.
for i in range(n - 1):
    b[i] = b[i + 1]

# expect
# perhaps anti b: x0 line 7 -> x1 line 7 (<) distance (1)
# L0: parallel, reading `b` as it was before the loop
