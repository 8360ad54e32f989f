# test lower
# given n: py.i64; xs: list f64 1; xs.append: append; ps: other list; ps.append: append
#
# Appending a number and a tuple.
for i in range(n):
    xs.append(i * 0.5)
    for j in range(i):
        ps.append((i, 0.5))

# expect
# a0 xs.append: appended f64 as py.f64, rank 1, capture 4, written
# a1 ps.append: appended i64 as py.i64, rank 1, capture 7, written
# a2 ps.append: appended f64 as py.f64, rank 1, capture 7, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3: py.i64 in 4 range 0..=0
# v4 j: py.i64
# v5 j: py.i64
# v6: py.bool
# v7: py.i64 in 7 range 0..=0
# L0 i
# L1 j
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     x0:a0[v3]! = (to<py.f64>(v1) * 0.5)
#     v3 = (v3 + 1)
#     L1 for v4 in 0 .. v1 step 1
#       v5 = v4
#       v6 = true
#       x1:a1[v7]! = v1
#       x2:a2[v7]! = 0.5
#       v7 = (v7 + 1)
# out p0 = v2
# out p5 = v5 if v6
# out p4 = v3 of a0
# out p7 = v7 of (a1, a2)
