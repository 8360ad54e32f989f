# test parse
# given n: py.i64; a: list i64 1
#
# `and`, `or`, `not`.
# They give an operand, not a truth value, and leave out the second one where the first decides.
for i in range(n):
    b = not a[i] and i or n

# expect
# for i in range(n):
#     b = (((not a[i]) and i) or n)
