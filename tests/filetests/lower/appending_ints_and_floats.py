# test lower
# given n: py.i64; xs: other list; xs.append: append
#
# Appending ints and floats.
for i in range(n):
    xs.append(0)
    xs.append(0.5)

# expect
# a0 xs.append: appended num as py.num, rank 1, capture 4, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3: py.i64 in 4 range 0..=0
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     x0:a0[v3]! = to<py.num>(0)
#     v3 = (v3 + 1)
#     x1:a0[v3]! = to<py.num>(0.5)
#     v3 = (v3 + 1)
# out p0 = v2
# out p4 = v3 of a0
