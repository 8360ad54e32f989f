# test lower
# given n: py.i64; a: ndarray f64 2
#
# Unknown attribute.
for i in range(n):
    s = a.strides

# expect
# refused unknown-attribute: line 6: the attribute strides of a numpy.ndarray is not supported
