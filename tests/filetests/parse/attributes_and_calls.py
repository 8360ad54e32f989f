# test parse
# given n: py.i64; s: py.f64; p: object; p.x: py.f64
#
# Attributes and calls.
# `math.sqrt` is an access path: what it holds is captured once, before the loop.
for i in range(n):
    s = s + math.sqrt(p.x)

# expect
# for i in range(n):
#     s = (s + math.sqrt(p.x))
