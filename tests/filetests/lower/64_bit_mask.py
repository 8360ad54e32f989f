# test lower
# given n: py.i64; h: py.i64 0 2147483647; s: str
#
# 64-bit mask.
for c in s:
    h = ((h ^ ord(c)) * 1099511628211) & 0xFFFFFFFFFFFFFFFF

# expect
# a0 s: str char as py.char, rank 1, capture 1, read
# v0 c: py.i64
# v1 c: py.char
# v2 h: py.u64 in 2 range 0..=2147483647
# L0 c
# top
#   L0 for v0 in 0 .. dim(a0, 0) step 1
#     v1 = x0:a0[v0]!
#     v2 = to<py.u64>(((to<py.i128>(to<py.u64>((to<py.i128>(v2) ^ to<py.i128>(ord<py.i64>(v1))))) * 1099511628211:py.i128) & 18446744073709551615:py.i128))
# out p0 = v1
# out p2 = v2
