# test lower
# given n: py.i64; a: list f64 2
#
# Too many subscripts.
for i in range(n):
    s = a[i][0][0]

# expect
# refused operator: line 6: `[]` is not supported for float
