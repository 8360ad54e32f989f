# test lower
# given n: py.i64; a: list f64 1; x: py.f64
#
# A float subscript.
for i in range(n):
    s = a[x]

# expect
# refused operator: line 6: `[]` is not supported for float
