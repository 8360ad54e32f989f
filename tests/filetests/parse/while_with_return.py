# test parse
# given n: py.i64
#
# A `return` inside a loop.
# It ends the nest and hands its value to the function around.
while True:
    n = n - 1
    if n < 3:
        return n

# expect
# while True:
#     n = (n - 1)
#     if (n < 3):
#         return n
