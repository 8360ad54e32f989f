# test lower
# given n: py.i64; out: list i64 1; out.append: append
#
# Appending to a list.
# The list is a buffer that grows; the live-out says how many elements it has afterwards.
for i in range(n):
    out.append(i * 2)

# expect
# a0 out.append: appended i64 as py.i64, rank 1, capture 4, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3: py.i64 in 4 range 0..=0
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     x0:a0[v3]! = (v1 *! 2)
#     v3 = (v3 + 1)
# out p0 = v2
# out p4 = v3 of a0
