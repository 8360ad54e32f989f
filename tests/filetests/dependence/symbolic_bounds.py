# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# Symbolic bounds.
# What is read lies at n and beyond, where the loop never writes, whatever n is.
for i in range(n):
    b[i] = b[i + n]

# expect
# L0: parallel
