# test parse
# given n: py.i64; k: py.i64
#
# The `else` of an inner loop.
# It runs unless a `break` left the loop.
for i in range(n):
    for j in range(2, i):
        if i % j == 0:
            break
    else:
        k = k + 1

# expect
# for i in range(n):
#     for j in range(2, i):
#         if ((i % j) == 0):
#             break
#     else:
#         k = (k + 1)
