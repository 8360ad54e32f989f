# test parse
# given n: py.i64; a: list f64 1; s: py.f64
#
# `break` and `continue`.
# Both belong to the innermost loop around them.
for i in range(n):
    if a[i] < 0.0:
        break
    if a[i] == 0.0:
        continue
    s = s + a[i]

# expect
# for i in range(n):
#     if (a[i] < 0.0):
#         break
#     if (a[i] == 0.0):
#         continue
#     s = (s + a[i])
