# test lower
# given n: py.i64; a: ndarray f64 1; b: ndarray f32 1
#
# Swap of arrays of different types.
for i in range(n):
    a, b = b, a

# expect
# refused unsupported: line 6: a and b, arrays of different types, changing places is not supported
