# test parse
# given n: py.i64; k: py.i64
#
# A `while`.
# Its condition is evaluated before each iteration.
while n > 1:
    n = n // 2
    k = k + 1

# expect
# while (n > 1):
#     n = (n // 2)
#     k = (k + 1)
