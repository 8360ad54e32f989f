# test lower
# given n: py.i64; a: ndarray f64 2
#
# A name of a transposed array.
for i in range(n):
    t = a.T

# expect
# refused unsupported: line 6: a name of a transposed array, or of what is computed of one is not supported
