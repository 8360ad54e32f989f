# test lower
# given n: py.i64; s: py.i64
#
# A call of the user's function.
# Its body stands in the nest, with locals of its own.
def square(x):
    y = x * x
    return y
for i in range(n):
    s = s + square(i)

# expect
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 s: py.i64 in 3
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     eval (v1 *! v1)
#     eval (v1 *! v1)
#     v3 = (v3 +! (v1 *! v1))
# out p0 = v2
# out p3 = v3
