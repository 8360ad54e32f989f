# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# A condition on the counter.
# The write happens at i = 0 alone, and reads are of elements 1 and later.
for i in range(n):
    if i == 0:
        b[i] = 1.0
    else:
        c[i] = b[i]

# expect
# L0: parallel
