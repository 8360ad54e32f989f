# test parse
# given n: py.i64; a: list i64 1; k: py.i64
#
# A chained comparison.
# The operand in the middle is evaluated once, and the last one only if the first comparison holds.
for i in range(n):
    if 0 < a[i] <= 9:
        k = k + 1

# expect
# for i in range(n):
#     if (0 < a[i] <= 9):
#         k = (k + 1)
