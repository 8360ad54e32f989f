# test lower
# given n: py.i64; s: py.i64
#
# A product that is taken modulo something.
# The product has 128 bits, so that it need not fit 64 before the remainder does.
for i in range(n):
    s = s * 31 % 1000003

# expect
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 s: py.i64 in 3
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = to<py.i64>(((to<py.i128>(v3) * 31:py.i128) % 1000003:py.i128))
# out p0 = v2
# out p3 = v3
