# test lower
# given n: py.i64; a: ndarray f64 2; xs: other list; xs.append: append
#
# Appending a list.
for i in range(n):
    xs.append(a[i])

# expect
# refused expression-statement: line 6: the call of xs.append for its effect is not supported
