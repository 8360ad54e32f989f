# test lower
# given n: py.i64; x: py.f64
#
# Shift of a float.
for i in range(n):
    s = x << 1

# expect
# refused operator: line 6: `<<` is not supported for float and int
