# test parse
# given a: list f64 1; b: list f64 1; c: list f64 1
#
# `enumerate` and `zip` in the head of a loop.
# Both are builtins that the head calls; the target is a tuple, which may be nested.
for i, (x, y) in enumerate(zip(a, b)):
    c[i] = x * y

# expect
# for (i, (x, y,),) in enumerate(zip(a, b)):
#     c[i] = (x * y)
