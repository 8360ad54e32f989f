# test lower
# given n: py.i64
#
# Product beyond 127 bits under a mask.
for i in range(n):
    z = (i * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF

# expect
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 z: py.u64
# v4 z: py.u64
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = to<py.u64>(((to<py.i128>(v1) * 11400714819323198485:py.i128) & 18446744073709551615:py.i128))
#     v4 = to<py.u64>(((to<py.i128>(to<py.u64>((to<py.i128>(v3) ^ to<py.i128>(to<py.i64>((to<py.i128>(v3) >> 30:py.i128)))))) * -4658895280553007687:py.i128) & 18446744073709551615:py.i128))
# out p0 = v2
# out p3 = v4
