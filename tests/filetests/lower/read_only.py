# test lower
# given n: py.i64; a: tuple f64 1
#
# A store into a tuple is refused.
for i in range(n):
    a[i] = 0.0

# expect
# refused read-only: line 6: a is read-only
