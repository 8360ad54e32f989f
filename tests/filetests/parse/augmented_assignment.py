# test parse
# given n: py.i64; a: list i64 1; s: py.i64
#
# Augmented assignment.
# The target of `+=` is evaluated once; it is a statement of its own, since a list's `+=` changes the list.
for i in range(n):
    a[i] += 1
    s -= a[i]

# expect
# for i in range(n):
#     a[i] += 1
#     s -= a[i]
