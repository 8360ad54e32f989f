# test lower
# given n: py.i64
#
# The loop's variable after the loop.
# The counter is hidden and nothing assigns it; the user's variable is set from it in each iteration.
for i in range(n):
    i = i + 1
    s = i

# expect
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 s: py.i64
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = (v1 + 1)
#     v3 = (v1 + 1)
# out p0 = v2
# out p3 = v3
