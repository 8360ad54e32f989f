# test lower
# given n: py.i64; a: list f64 2; b: list f64 2
#
# A row under one name of two arrays.
for i in range(n):
    if i > 2:
        r = a[i]
    else:
        r = b[i]
    s = r[0]

# expect
# refused type-changes: line 9: r changes its type from array to another array in the nest
