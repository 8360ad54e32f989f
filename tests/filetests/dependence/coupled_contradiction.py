# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# Coupled subscripts that contradict each other.
# i' = i - 1 by the first axis and i' = i + 1 by the second.
for i in range(1, n):
    a[i, i] = a[i - 1, i + 1]

# expect
# L0: parallel
