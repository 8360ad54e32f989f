# test parse
# given n: py.i64
#
# `if`, `elif`, `else`.
# An `elif` is an `if` that stands alone in the `else` before it.
for i in range(n):
    if i < 3:
        s = 1
    elif i < 5:
        s = 2
    else:
        s = 3

# expect
# for i in range(n):
#     if (i < 3):
#         s = 1
#     else:
#         if (i < 5):
#             s = 2
#         else:
#             s = 3
