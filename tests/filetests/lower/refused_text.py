# test lower
# given n: py.i64; s: py.i64; name: str
#
# Text where a number is wanted is refused.
# The reason has a code, by which it is documented.
for i in range(n):
    s = s + name

# expect
# refused array-expression: line 7: a str as an operand works on whole arrays, which is not supported in a nest
