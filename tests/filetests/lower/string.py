# test lower
# given n: py.i64
#
# A string.
for i in range(n):
    s = 'text'

# expect
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 s: py.char
# L0 i
# text text
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = 2949857406:py.char
# out p0 = v2
# out p3 = v3
