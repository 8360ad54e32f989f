# test lower
# given n: py.i64; xs: list f64 1; ys: list f64 1; xs.append: append
#
# Appending to a list that is rebound.
for i in range(n):
    xs.append(i)
    xs = ys

# expect
# refused unsupported: line 6: an append to xs, a list that the nest also rebinds, is not supported
