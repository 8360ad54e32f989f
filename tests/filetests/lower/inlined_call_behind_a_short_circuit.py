# test lower
# given a: list i64 1; n: py.i64
#
# Inlined call behind a short circuit.
def bump(v, i):
    v[i] += 1
    return v[i]
for i in range(n):
    if a[i] > 3 and bump(a, i) > 5:
        s = i

# expect
# a0 a: list i64 as py.i64, rank 1, capture 3, read, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 bump(): py.i64
# v4: py.bool
# v5 s: py.i64
# v6: py.bool
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     if (x0:a0[v1]! > 3)
#       x2:a0[v1]! = (x1:a0[v1]! +! 1)
#       v3 = x3:a0[v1]!
#       v4 = (v3 > 5)
#     else
#       v4 = false
#     if v4
#       v5 = v1
#       v6 = true
# out p0 = v2
# out p5 = v5 if v6
