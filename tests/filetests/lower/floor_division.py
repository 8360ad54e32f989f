# test lower
# given n: py.i64
#
# Floor division and modulo by a constant.
# A constant divisor is not zero: only what may fail is guarded.
for i in range(n):
    s = i // 3
    t = i % n

# expect
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 s: py.i64
# v4 t: py.i64
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = (v1 // 3)
#     v4 = (v1 %! v0)
# out p0 = v2
# out p3 = v3
# out p4 = v4
