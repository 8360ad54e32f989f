# test parse
# given n: py.i64; m: ndarray f64 2; l: list f64 2; v: ndarray f64 1
#
# Subscripts of several axes, and slices.
# A tuple of subscripts is one subscript in Python; `a[i][j]` is two.
for i in range(n):
    m[i, 0] = l[i][1]
    m[i, 1:] = v[::2]

# expect
# for i in range(n):
#     m[i, 0] = l[i][1]
#     m[i, 1:] = v[::2]
