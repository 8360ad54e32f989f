# test parse
# given n: py.i64; s: py.i64
#
# A `for` over a range.
# The surface nest keeps Python's own loop: the range is an operand, not three bounds.
for i in range(n):
    s = s + i

# expect
# for i in range(n):
#     s = (s + i)
