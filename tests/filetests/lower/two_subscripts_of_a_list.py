# test lower
# given n: py.i64; a: list f64 2
#
# Two subscripts of a list.
for i in range(n):
    s = a[i, 0]

# expect
# refused rank-mismatch: line 6: a has 2 dimensions and is given 2 subscripts
