# test parse
# given n: py.i64; a: list i64 1; s: py.i64
#
# A conditional expression.
# Only the side that is chosen is evaluated.
for i in range(n):
    s = s + (a[i] if a[i] > 0 else -a[i])

# expect
# for i in range(n):
#     s = (s + (a[i] if (a[i] > 0) else (-a[i])))
