# test parse
# given xs: list f64 1; s: py.f64
#
# A `for` over the elements of a sequence.
# What is looped over is any expression; its type decides later what that means.
for x in xs:
    s = s + x

# expect
# for x in xs:
#     s = (s + x)
